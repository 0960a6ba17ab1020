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
import type { PendingCommand } from "./pending-command.ts";
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

/** Returns a function that leaves out the objects of realms without available commands, with a notice for each reason. */
function useAvailable(): (items: readonly StatusItem[]) => readonly StatusItem[] {
  const { notices } = useAppContext();
  const blockedReasonOf = useBlockedReason();
  return (items) => {
    const groups = Map.groupBy(items, ({ realm }) => blockedReasonOf(realm));
    const available = groups.get(undefined) ?? [];
    for (const [reason, own] of groups) {
      const outcome =
        available.length > 0 ? `${own.length} of ${items.length} objects are left out` : "no command was sent";
      if (reason !== undefined) addNotice(notices, "failed", `${reason}: ${outcome}`);
    }
    return available;
  };
}

/** Returns a function that sends a command for one object, whose effect is visible in a row that `isDone` accepts. */
function useSendOne() {
  const send = useSendWithNotices();
  return (
    items: readonly StatusItem[],
    { words }: { readonly words: { readonly noun: string } },
    call: () => Promise<unknown>,
    isDone: PendingCommand["isVisibleIn"],
  ): void => void send(items, { label: words.noun, send: () => call().then(() => isDone) });
}

/** Maximum number of objects of one comment: each needs a call of its own. */
export const maxCommentTargets = 200;

/** Actions on objects, by button or key. */
export function useObjectActions(): ObjectActions {
  const { dialog, notices, preferences } = useAppContext();
  const commands = useCommandClient();
  const available = useAvailable();
  const sendOne = useSendOne();
  const { send: sendBulk } = useSendBulk(false);
  const author = preferences.get().author;
  const open = (kind: "acknowledge" | "downtime" | "comment", targets: readonly StatusItem[]): void => {
    if (targets.length > 0) dialog.set({ kind, targets });
  };
  return {
    acknowledge(items) {
      const targets = available(items).filter(({ problem }) => problem);
      open("acknowledge", targets);
      if (targets.length === 0 && items.length > 0)
        addNotice(notices, "failed", "No problem is selected: there is nothing to acknowledge");
    },
    downtime: (items) => open("downtime", available(items)),
    comment: (items) => open("comment", available(items)),
    checkNow(items) {
      const targets = available(items.filter(({ key }) => key.kind !== "process"));
      const [item] = targets;
      if (targets.length > 1) void sendBulk(targets, recheckForm());
      else if (item !== undefined)
        sendOne(
          targets,
          scheduleCheckCommand,
          () => commands.scheduleCheck(item.realm, { target: targetOfItem(item) }),
          (row) => isCheckedSince(row, item),
        );
    },
    removeAcknowledgement: (item) =>
      sendOne(
        available([item]),
        removeAcknowledgementCommand,
        () => commands.removeAcknowledgement(item.realm, { target: targetOfItem(item), author }),
        (row) => row.acknowledgement === undefined,
      ),
    deleteDowntime: (item, downtimeId) =>
      sendOne(
        available([item]),
        deleteDowntimeCommand,
        () => commands.deleteDowntime(item.realm, { downtimeId, author }),
        (row) => row.downtimes.every(({ id }) => id !== downtimeId),
      ),
    deleteComment: (item, commentId) =>
      sendOne(
        available([item]),
        deleteCommentCommand,
        () => commands.deleteComment(item.realm, { commentId }),
        (row) => row.comments.every(({ id }) => id !== commentId),
      ),
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
