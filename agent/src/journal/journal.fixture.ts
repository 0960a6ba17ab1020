import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Notification } from "@realmwatch/shared/model/notification";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { HistoryQuery } from "@realmwatch/shared/read-model/read-model";
import { allHistory } from "@realmwatch/shared/read-model/read-model.fixture";
import { hashText } from "@realmwatch/shared/text/hash";
import type { AlertChange, StoredAlert } from "./alert-table.ts";
import type { Journal } from "./journal.ts";
import type { JournalBatch } from "./journal-batch.ts";
import type { FindMatchingRefs, JournalOptions } from "./journal-contract.ts";
import { openJournal } from "./threads/open-journal.ts";
import type { StoredObjectState } from "./write/recovery-records.ts";

/** Opens journals in a temporary folder; they are closed and removed with `after`. */
export function openTestJournals(after: (end: () => Promise<void>) => void) {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-journal-"));
  const opened = new Set<Journal>();
  after(async () => {
    for (const journal of opened) await journal.close();
    rmSync(folder, { recursive: true, force: true });
  });
  let folders = 0;
  return {
    newDir: (): string => join(folder, `data${folders++}`),
    async open(dataDir: string, more: Partial<JournalOptions> = {}): Promise<Journal> {
      const journal = await openJournal({ dataDir, realm: "r", historyRetentionMs: 1e12, clock: systemClock, ...more });
      if (!journal.ok) assert.fail(journal.error);
      opened.add(journal.value);
      return journal.value;
    },
  };
}

/** Reason why a data directory is refused; empty when it is accepted. */
export const journalRefusal = async (dataDir: string, realm = "r"): Promise<string> => {
  const journal = await openJournal({ dataDir, realm, historyRetentionMs: 1e12, clock: systemClock });
  if (!journal.ok) return journal.error;
  await journal.value.close();
  return "";
};

/** Recovers a small journal, with all states in one array. */
export async function recoverWithStates(journal: Journal) {
  const states: StoredObjectState[] = [];
  const rest = await journal.recover((slice) => void states.push(...slice));
  return { ...rest, states };
}

export const journalBatch = (more: Partial<JournalBatch>): JournalBatch => ({
  states: [],
  program: undefined,
  history: [],
  appliedCommandSeq: 0,
  ...more,
});
export const testHistoryEntry = (atMs: number, more: Partial<HistoryEntry> = {}): HistoryEntry => ({
  atMs,
  type: "state",
  ...more,
});
export const commentCommandInput = (text: string) =>
  ({ atMs: 5, author: "ann", onBehalfOf: "", command: { kind: "add_comment", ref: "web1", id: text, text } }) as const;

/** Change of the firing alerts that tests store with the command of a text: of 20 keys, a third ends. */
export function alertChangeOf(text: string): AlertChange {
  const number = hashText(text).charCodeAt(15) + text.length * 16;
  return { key: `k${number % 20}`, json: number % 3 === 0 ? undefined : JSON.stringify({ text }) };
}

/** Firing alerts after the commands of these texts. */
export function alertsAfter(texts: readonly string[]): readonly StoredAlert[] {
  const alerts = new Map<string, string>();
  for (const { key, json } of texts.map(alertChangeOf)) {
    alerts.delete(key);
    if (json !== undefined) alerts.set(key, json);
  }
  return [...alerts].map(([key, json]) => ({ key, json }));
}
export const storedNotification = (id: string): Notification => ({
  id,
  contact: "ops",
  kind: "PROBLEM",
  key: { kind: "host", name: "web1" },
  status: "critical",
  previousStatus: "ok",
  stateType: "hard",
  attempt: 3,
  maxAttempts: 3,
  output: "down",
  longOutput: "",
  perfdata: [],
  problemId: "p1",
  decisionId: "d1",
  level: 0,
  number: 1,
  author: "",
  comment: "",
  labels: { rack: "r7" },
  sinceMs: 1,
  atMs: 2,
});
export const testHistoryQuery = (more: Partial<HistoryQuery> = {}): HistoryQuery => ({ ...allHistory, ...more });

/** Sequence numbers of the records that match a query. */
export async function historySeqs(
  journal: Journal,
  more: Partial<HistoryQuery> = {},
  refsMatching?: FindMatchingRefs,
): Promise<number[]> {
  const answer = await journal.history(testHistoryQuery(more), refsMatching);
  if (!answer.ok) assert.fail(JSON.stringify(answer.error));
  return answer.value.records.map((record) => record.seq);
}
