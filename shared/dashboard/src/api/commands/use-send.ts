import { useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { formatObjectName } from "../status/object-key.ts";
import type { StatusItem } from "../status/status-item.ts";
import { objectCountText } from "./object-count-text.ts";
import type { PendingCommand } from "./pending-command.ts";
import { type SendFailure, sendToEach } from "./send-to-each.ts";
import { useFailureNotice } from "./use-failure-notice.ts";

/** A command to send for one object. `send` resolves to a predicate that detects the effect in the object's row. */
type ObjectCommand = {
  readonly label: string;
  readonly send: (item: StatusItem) => Promise<PendingCommand["isVisibleIn"]>;
};

/** Sends a command for each object, marks the accepted ones as pending and refreshes the rows at once. */
export function useSend(): (
  items: readonly StatusItem[],
  command: ObjectCommand,
  onProgress?: (done: number) => void,
) => Promise<readonly SendFailure[]> {
  const { clock, pending, notices } = useAppContext();
  const queryClient = useQueryClient();
  return async (items, { label, send }, onProgress) => {
    let done = 0;
    const failed = await sendToEach(items, async (item) => {
      const isVisibleIn = await send(item);
      pending.set((marks) => [...marks, { id: item.id, label, sentAtMs: clock.now(), isVisibleIn }]);
      onProgress?.(++done);
    });
    const accepted = items.length - failed.length;
    if (accepted > 0) addNotice(notices, "done", `Accepted: ${label} for ${objectCountText(items, accepted)}`);
    void queryClient.invalidateQueries();
    return failed;
  };
}

/** Sends without a dialog: failures are displayed as notices. */
export function useSendWithNotices(): (items: readonly StatusItem[], command: ObjectCommand) => Promise<void> {
  const send = useSend();
  const failed = useFailureNotice();
  return async (items, command) => {
    for (const { item, error } of await send(items, command))
      failed(`${command.label} for ${formatObjectName(item.key)} failed`, error);
  };
}
