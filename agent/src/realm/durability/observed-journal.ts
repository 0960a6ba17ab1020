import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { LoopJournal } from "../durability/state-writer.ts";

/** Calls `recorded` with the history entries of each append that succeeded. */
export const observedJournal = (
  journal: LoopJournal,
  recorded: (entries: readonly HistoryEntry[]) => void,
): LoopJournal => ({
  async append(batch) {
    const appended = await journal.append(batch);
    if (appended.ok && batch.history.length > 0) recorded(batch.history);
    return appended;
  },
});
