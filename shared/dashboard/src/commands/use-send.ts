import { useQueryClient } from "@tanstack/react-query";
import { failureOf } from "../api/failure.ts";
import type { StatusItem } from "../api/status-item.ts";
import { plainName } from "../objects/object-link.tsx";
import { addNotice } from "../parts/notice.ts";
import { useServices } from "../services/services.tsx";
import type { PendingMark } from "./pending-mark.ts";
import { type SendOutcome, sendEach } from "./send-each.ts";

/** What is sent for one object. Resolves to how its effect can be recognised in the object's row. */
export type Order = { readonly what: string; readonly send: (item: StatusItem) => Promise<PendingMark["shows"]> };

/** Sends an order for each object, marks the accepted ones as pending and asks for the rows at once. */
export function useSend(): (items: readonly StatusItem[], order: Order) => Promise<readonly SendOutcome[]> {
  const { clock, pending, notices } = useServices();
  const queryClient = useQueryClient();
  return async (items, { what, send }) => {
    const failed = await sendEach(items, async (item) => {
      const shows = await send(item);
      pending.set((marks) => [...marks, { id: item.id, what, sentAtMs: clock.now(), shows }]);
    });
    const accepted = items.length - failed.length;
    if (accepted > 0) addNotice(notices, { tone: "done", text: `Accepted: ${what} for ${countText(items, accepted)}` });
    void queryClient.invalidateQueries();
    return failed;
  };
}

const countText = (items: readonly StatusItem[], count: number): string =>
  items.length === 1 && items[0] !== undefined ? plainName(items[0].key) : `${count} of ${items.length} objects`;

/** Sends where no dialog is open to show what failed: failures become notices. */
export function useSendAndTell(): (items: readonly StatusItem[], order: Order) => Promise<void> {
  const { notices, dialog } = useServices();
  const send = useSend();
  return async (items, order) => {
    for (const { item, error } of await send(items, order)) {
      const { code, message } = failureOf(error);
      addNotice(notices, {
        tone: "failed",
        text: `${order.what} for ${plainName(item.key)} failed: ${code}: ${message}`,
      });
      if (code === "unauthenticated") dialog.set({ kind: "token" });
    }
  };
}
