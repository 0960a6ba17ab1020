import type { StatusItem } from "../api/status-item.ts";
import { toRef } from "../objects/object-key.ts";
import { addNotice } from "../parts/notice.ts";
import { useServices } from "../services/services.tsx";
import { useCommands, useGate } from "./realm-gate.ts";
import { useSendAndTell } from "./use-send.ts";

export type ObjectActions = {
  acknowledge(items: readonly StatusItem[]): void;
  downtime(items: readonly StatusItem[]): void;
  checkNow(items: readonly StatusItem[]): void;
  removeAcknowledgement(item: StatusItem): void;
  deleteDowntime(item: StatusItem, downtimeId: string): void;
  deleteComment(item: StatusItem, commentId: string): void;
};

export const targetOf = (item: StatusItem) => ({ target: { case: "object", value: toRef(item.key) } }) as const;

/** What can be done to objects, by button or key. Rows that cannot be acted upon are left out, and it is said why. */
export function useObjectActions(): ObjectActions {
  const { dialog, notices, preferences } = useServices();
  const commands = useCommands();
  const gate = useGate();
  const send = useSendAndTell();
  const author = preferences.get().author;
  const open = (items: readonly StatusItem[]): readonly StatusItem[] => {
    const reasons = new Set(items.map(({ realm }) => gate(realm)).filter((reason) => reason !== undefined));
    for (const reason of reasons) addNotice(notices, { tone: "failed", text: `${reason}: nothing is sent there` });
    return items.filter(({ realm }) => gate(realm) === undefined);
  };
  return {
    acknowledge(items) {
      const targets = open(items).filter(({ problem }) => problem);
      if (targets.length > 0) dialog.set({ kind: "acknowledge", targets });
    },
    downtime(items) {
      const targets = open(items);
      if (targets.length > 0) dialog.set({ kind: "downtime", targets });
    },
    checkNow: (items) =>
      void send(open(items.filter(({ key }) => key.kind !== "process")), {
        what: "check now",
        async send(item) {
          await commands.scheduleCheck(item.realm, { target: targetOf(item) });
          const before = item.lastCheckAtMs ?? 0;
          return (row) => Number(row.lastCheck?.seconds ?? 0) * 1_000 + (row.lastCheck?.nanos ?? 0) / 1e6 > before + 1;
        },
      }),
    removeAcknowledgement: (item) =>
      void send(open([item]), {
        what: "removal of the acknowledgement",
        async send() {
          await commands.removeAcknowledgement(item.realm, { target: targetOf(item), author });
          return (row) => row.acknowledgement === undefined;
        },
      }),
    deleteDowntime: (item, downtimeId) =>
      void send(open([item]), {
        what: "end of the downtime",
        async send() {
          await commands.deleteDowntime(item.realm, { downtimeId, author });
          return (row) => row.downtimes.every(({ id }) => id !== downtimeId);
        },
      }),
    deleteComment: (item, commentId) =>
      void send(open([item]), {
        what: "removal of the comment",
        async send() {
          await commands.deleteComment(item.realm, { commentId });
          return (row) => row.comments.every(({ id }) => id !== commentId);
        },
      }),
  };
}
