import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Journal } from "@realmwatch/agent/journal/journal";
import type { JournalBatch } from "@realmwatch/agent/journal/journal-batch";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

const objects = sized(100_000, 20_000);
const stateBytes = 1_000;
const refs = Array.from({ length: objects }, (_, i) => `host${i % 10_000}!service${Math.floor(i / 10_000)}`);
const batch = (more: Partial<JournalBatch>): JournalBatch => ({
  states: [],
  program: undefined,
  history: [],
  appliedCommandSeq: 0,
  ...more,
});

async function open(dataDir: string): Promise<Journal> {
  const opened = await openJournal({ dataDir, realm: "bench", historyRetentionMs: 1e12, clock: systemClock });
  if (!opened.ok) throw new Error(opened.error);
  return opened.value;
}

/** Runs `use` with a temporary folder. */
async function within<T>(use: (dataDir: string) => Promise<T>): Promise<T> {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  try {
    return await use(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function perSecond(count: number, work: () => Promise<void>): Promise<number> {
  const startedMs = performance.now();
  await work();
  return Math.round((count / (performance.now() - startedMs)) * 1_000);
}

/** Measures acceptance of commands, which are synced in groups when several are in flight. */
export const benchAccept = (): Promise<BenchRow[]> =>
  within(async (dataDir) => {
    const journal = await open(dataDir);
    const accept = async (count: number, inFlight: number): Promise<number> => {
      let left = count;
      const produce = async (): Promise<void> => {
        while (left-- > 0)
          await journal.accept({
            ...{ atMs: 1, author: "bench", onBehalfOf: "" },
            command: { kind: "schedule_check", refs: ["web1!http"] },
          });
      };
      return perSecond(count, async () => void (await Promise.all(Array.from({ length: inFlight }, produce))));
    };
    const rates = [
      {
        name: "accept, 64 in flight",
        rate: await accept(50_000, 64),
        unit: "commands/s",
        against: "accept, one by one",
      },
      { name: "accept, one by one", rate: await accept(1_000, 1), unit: "commands/s", note: "one sync each" },
    ];
    await journal.close();
    return rates;
  });

/** Measures writing of states, and opening and recovering the journal. */
export const benchStatesAndRecovery = (): Promise<BenchRow[]> =>
  within(async (dataDir) => {
    const journal = await open(dataDir);
    const fresh = await perSecond(objects, () => appendStates(journal, "a"));
    const changed = await perSecond(objects, () => appendStates(journal, "b"));
    await journal.close();
    const startedMs = performance.now();
    const again = await open(dataDir);
    let recovered = 0;
    await again.recover((states) => {
      recovered += states.length;
    });
    const recoveryMs = Math.round(performance.now() - startedMs);
    await again.close();
    const note = `${stateBytes} bytes each, batches of 2 000`;
    return [
      { name: "append new states", rate: fresh, unit: "states/s", note },
      { name: "append changed states", rate: changed, unit: "states/s", note },
      { name: `open and recover ${recovered} states`, rate: recoveryMs, unit: "ms" },
    ];
  });

async function appendStates(journal: Journal, letter: string): Promise<void> {
  const state = JSON.stringify({ text: letter.repeat(stateBytes) });
  for (let i = 0; i < objects; i += 2_000)
    await journal.append(batch({ states: refs.slice(i, i + 2_000).map((ref) => ({ ref, state })) }));
}

/** Measures writing and paging of history. */
export const benchHistory = (): Promise<BenchRow[]> =>
  within(async (dataDir) => {
    const journal = await open(dataDir);
    const count = sized(200_000, 50_000);
    const entry = (i: number): HistoryEntry => ({
      atMs: 1e12 + i,
      type: i % 4 === 0 ? "notification" : "state",
      key: { kind: "service", host: `host${(i * 7_919) % 10_000}`, name: "http" },
      status: "critical",
      output: "connection refused after 10 s",
    });
    const rate = await perSecond(count, async () => {
      for (let i = 0; i < count; i += 500)
        await journal.append(batch({ history: Array.from({ length: 500 }, (_, k) => entry(i + k)) }));
    });
    const page = async (key: HistoryEntry["key"], search = ""): Promise<number> => {
      const startedMs = performance.now();
      await journal.history({
        ...{ key, selector: undefined, realm: "", types: [], sinceMs: undefined, untilMs: undefined },
        ...{ actor: "", contact: "", search, pageSize: 100, pageToken: "" },
      });
      return performance.now() - startedMs;
    };
    const rows: BenchRow[] = [
      { name: "append history", rate, unit: "records/s", note: "batches of 500" },
      { name: "page of 100, global", rate: await page(undefined), unit: "ms", note: `of ${count} records` },
      { name: "page of one object", rate: await page({ kind: "service", host: "host5", name: "http" }), unit: "ms" },
      { name: "search without a match", rate: await page(undefined, "nowhere"), unit: "ms" },
    ];
    await journal.close();
    return rows;
  });
