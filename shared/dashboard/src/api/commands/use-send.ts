import { useQueryClient } from "@tanstack/react-query";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { serverFailureOf } from "../server/server-failure.ts";
import { formatObjectName } from "../status/object-key.ts";
import type { StatusItem } from "../status/status-item.ts";
import type { PendingCommand } from "./pending-command.ts";
import { type SendFailure, sendToEach } from "./send-to-each.ts";

/** A command to send for one object. `send` resolves to a predicate that detects the effect in the object's row. */
export type ObjectCommand = {
  readonly label: string;
  readonly send: (item: StatusItem) => Promise<PendingCommand["isVisibleIn"]>;
};

/** Sends a command for each object, marks the accepted ones as pending and refreshes the rows at once. */
export function useSend(): (items: readonly StatusItem[], command: ObjectCommand) => Promise<readonly SendFailure[]> {
  const { clock, pending, notices } = useAppContext();
  const queryClient = useQueryClient();
  return async (items, { label, send }) => {
    const failed = await sendToEach(items, async (item) => {
      const isVisibleIn = await send(item);
      pending.set((marks) => [...marks, { id: item.id, label, sentAtMs: clock.now(), isVisibleIn }]);
    });
    const accepted = items.length - failed.length;
    if (accepted > 0)
      addNotice(notices, { tone: "done", text: `Accepted: ${label} for ${countText(items, accepted)}` });
    void queryClient.invalidateQueries();
    return failed;
  };
}

const countText = (items: readonly StatusItem[], count: number): string =>
  items.length === 1 && items[0] !== undefined ? formatObjectName(items[0].key) : `${count} of ${items.length} objects`;

/** Sends without a dialog: failures are displayed as notices. */
export function useSendWithNotices(): (items: readonly StatusItem[], command: ObjectCommand) => Promise<void> {
  const { notices, dialog } = useAppContext();
  const send = useSend();
  return async (items, command) => {
    for (const { item, error } of await send(items, command)) {
      const { code, message } = serverFailureOf(error);
      addNotice(notices, {
        tone: "failed",
        text: `${command.label} for ${formatObjectName(item.key)} failed: ${code}: ${message}`,
      });
      if (code === "unauthenticated") dialog.set({ kind: "token" });
    }
  };
}
