import { acknowledgeProblemCommand } from "@realmwatch/shared/commands/acknowledge-problem";
import { addCommentCommand } from "@realmwatch/shared/commands/add-comment";
import { deleteCommentCommand } from "@realmwatch/shared/commands/delete-comment";
import { deleteDowntimeCommand } from "@realmwatch/shared/commands/delete-downtime";
import { removeAcknowledgementCommand } from "@realmwatch/shared/commands/remove-acknowledgement";
import { scheduleCheckCommand } from "@realmwatch/shared/commands/schedule-check";
import { scheduleDowntimeCommand } from "@realmwatch/shared/commands/schedule-downtime";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useAppContext } from "../context/app-context.tsx";
import { addNotice } from "../context/notice.ts";
import { randomKey } from "../server/random-key.ts";
import type { StatusItem } from "../status/status-item.ts";
import { useBlockedReason, useCommandClient } from "./command-availability.ts";
import { useSendWithNotices } from "./use-send.ts";
import { type BulkForm, useSendBulk } from "./use-send-bulk.ts";

type ObjectActions = {
  acknowledge(items: readonly StatusItem[]): void;
  downtime(items: readonly StatusItem[]): void;
  comment(items: readonly StatusItem[]): void;
  checkNow(items: readonly StatusItem[]): void;
  removeAcknowledgement(item: StatusItem): void;
  deleteDowntime(item: StatusItem, downtimeId: string): void;
  deleteComment(item: StatusItem, commentId: string): void;
};

/** Commands on the selected rows, the row or the object: the key of each, and the action that it runs. */
export const objectCommands = [
  { key: "a", words: acknowledgeProblemCommand.words, action: "acknowledge" },
  { key: "d", words: scheduleDowntimeCommand.words, action: "downtime" },
  { key: "c", words: addCommentCommand.words, action: "comment" },
  { key: "r", words: scheduleCheckCommand.words, action: "checkNow" },
] as const;

export const targetOfItem = (item: StatusItem) =>
  ({ target: { case: "object", value: objectKeyToProto(item.key) } }) as const;

/** Actions on objects, by button or key. Objects of realms without available commands are skipped with a notice. */
export function useObjectActions(): ObjectActions {
  const { dialog, notices, preferences } = useAppContext();
  const commands = useCommandClient();
  const blockedReasonOf = useBlockedReason();
  const send = useSendWithNotices();
  const { send: sendBulk } = useSendBulk(false);
  const author = preferences.get().author;
  const withoutBlocked = (items: readonly StatusItem[]): readonly StatusItem[] => {
    const blocked = Map.groupBy(items, ({ realm }) => blockedReasonOf(realm));
    const some = blocked.has(undefined);
    for (const [reason, own] of blocked) {
      const outcome = some ? `${own.length} of ${items.length} objects are left out` : "no command was sent";
      if (reason !== undefined) addNotice(notices, { tone: "failed", text: `${reason}: ${outcome}` });
    }
    return items.filter(({ realm }) => blockedReasonOf(realm) === undefined);
  };
  return {
    acknowledge(items) {
      const targets = withoutBlocked(items).filter(({ problem }) => problem);
      if (targets.length > 0) dialog.set({ kind: "acknowledge", targets });
      else if (items.length > 0)
        addNotice(notices, { tone: "failed", text: "No problem is selected: there is nothing to acknowledge" });
    },
    downtime(items) {
      const targets = withoutBlocked(items);
      if (targets.length > 0) dialog.set({ kind: "downtime", targets });
    },
    comment(items) {
      const targets = withoutBlocked(items);
      if (targets.length > 0) dialog.set({ kind: "comment", targets });
    },
    checkNow(items) {
      const targets = withoutBlocked(items.filter(({ key }) => key.kind !== "process"));
      if (targets.length > 1) void sendBulk(targets, recheckForm());
      else
        void send(targets, {
          label: scheduleCheckCommand.words.noun,
          async send(item) {
            await commands.scheduleCheck(item.realm, { target: targetOfItem(item) });
            return (row) => isCheckedSince(row, item);
          },
        });
    },
    removeAcknowledgement: (item) =>
      void send(withoutBlocked([item]), {
        label: removeAcknowledgementCommand.words.noun,
        async send() {
          await commands.removeAcknowledgement(item.realm, { target: targetOfItem(item), author });
          return (row) => row.acknowledgement === undefined;
        },
      }),
    deleteDowntime: (item, downtimeId) =>
      void send(withoutBlocked([item]), {
        label: deleteDowntimeCommand.words.noun,
        async send() {
          await commands.deleteDowntime(item.realm, { downtimeId, author });
          return (row) => row.downtimes.every(({ id }) => id !== downtimeId);
        },
      }),
    deleteComment: (item, commentId) =>
      void send(withoutBlocked([item]), {
        label: deleteCommentCommand.words.noun,
        async send() {
          await commands.deleteComment(item.realm, { commentId });
          return (row) => row.comments.every(({ id }) => id !== commentId);
        },
      }),
  };
}

/** A check of each object at once. Each form is a command of its own, also when it follows an equal one. */
const recheckForm = (): BulkForm => ({
  label: scheduleCheckCommand.words.noun,
  entered: randomKey(),
  command: () => ({ case: "scheduleCheck", value: {} }),
  effectRows: "all",
  hasEffect: (row, item) => row !== undefined && isCheckedSince(row, item),
});

/** True when a row has a later check than the item, whose time is in milliseconds. */
const isCheckedSince = (row: StatusItem["row"], { lastCheckAtMs = 0 }: StatusItem): boolean =>
  Number(row.lastCheck?.seconds ?? 0) * 1_000 + (row.lastCheck?.nanos ?? 0) / 1e6 > lastCheckAtMs + 1;
