import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Journal } from "@realmwatch/agent/journal/journal";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import { openJournalFollower } from "@realmwatch/agent/pair/journal/journal-follower";
import { JournalShipper } from "@realmwatch/agent/pair/journal/journal-shipper";
import { SnapshotSource } from "@realmwatch/agent/pair/journal/snapshot-source";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";

const state = JSON.stringify({ text: "x".repeat(1_000) });
const resultsPerRound = 200;

type OpenedJournal = {
  readonly journal: Journal;
  readonly shipper: JournalShipper | undefined;
  readonly dataDir: string;
  close(): Promise<void>;
};

/** Opens a journal; with `standbyDir`, a standby in a thread of its own follows it into that folder. */
async function openBenchJournal(dataDir: string, standbyDir?: string): Promise<OpenedJournal> {
  const shipper = standbyDir !== undefined ? new JournalShipper({ clock: systemClock }) : undefined;
  const options = { dataDir, realm: "bench", historyRetentionMs: 1e12, clock: systemClock };
  const opened = await openJournal({ ...options, ...(shipper && { pair: shipper }) });
  if (!opened.ok) throw new Error(opened.error);
  const journal = opened.value;
  if (shipper === undefined || standbyDir === undefined)
    return { journal, shipper, dataDir, close: () => journal.close() };
  const follower = await openJournalFollower({ dataDir: standbyDir, realm: "bench" });
  if (!follower.ok) throw new Error(follower.error);
  let running = true;
  const follow = async (): Promise<void> => {
    shipper.acknowledge(0);
    let last = Promise.resolve();
    for (let position = 0; running; ) {
      const tail = await shipper.next(position, 100);
      if (tail.kind !== "groups") continue;
      position = tail.to;
      const applied = follower.value
        .apply(tail.lines, tail.cursors)
        .then(({ end }) => shipper.acknowledge(end.position));
      // The next groups are sent while these are written, but no more than one answer is under way.
      await last;
      last = applied;
    }
  };
  const following = follow();
  return {
    ...{ journal, shipper, dataDir },
    async close() {
      running = false;
      await following;
      await journal.close();
      await follower.value.close();
    },
  };
}

type OpenedJournals = { readonly alone: OpenedJournal; readonly pair: OpenedJournal; readonly apart: OpenedJournal };

/**
 * Runs `use` with a journal alone and with two of pairs: both members on one disk, and the standby on a disk in memory,
 * whose syncs do not wait for those of the active member.
 */
async function withJournals<T>(use: (journals: OpenedJournals) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const memory = mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "realmwatch-bench-"));
  const journals = {
    alone: await openBenchJournal(join(folder, "alone")),
    pair: await openBenchJournal(join(folder, "active"), join(folder, "standby")),
    apart: await openBenchJournal(join(folder, "apart"), join(memory, "standby")),
  };
  try {
    return await use(journals);
  } finally {
    for (const journal of Object.values(journals)) await journal.close();
    for (const each of [folder, memory]) rmSync(each, { recursive: true, force: true });
  }
}

/** Runs `count` calls of `one`, `inFlight` at a time. Returns calls/s. */
async function perSecond(count: number, inFlight: number, one: (i: number) => Promise<unknown>): Promise<number> {
  const startedMs = performance.now();
  let next = 0;
  const produce = async (): Promise<void> => {
    while (next < count) await one(next++);
  };
  await Promise.all(Array.from({ length: inFlight }, produce));
  return (count / (performance.now() - startedMs)) * 1_000;
}

const accept = (journal: Journal, count: number, inFlight: number): Promise<number> =>
  perSecond(count, inFlight, () =>
    journal.accept({
      ...{ atMs: 1, author: "bench", onBehalfOf: "" },
      command: { kind: "schedule_check", refs: ["web1!http"] },
    }),
  );

/** Rounds of results: each writes some states, and every tenth result a history record. */
const rounds = (journal: Journal, count: number): Promise<number> =>
  perSecond(count, 3, (round) =>
    journal.append({
      states: Array.from({ length: resultsPerRound }, (_, i) => ({
        ref: `host${(round * resultsPerRound + i) % 20_000}!http`,
        state,
      })),
      program: undefined,
      history: Array.from({ length: resultsPerRound / 10 }, (_, i) => ({
        ...{ atMs: round * 1_000 + i, type: "state", status: "critical", output: "connection refused after 10 s" },
        key: { kind: "service", host: `host${i}`, name: "http" },
      })),
      appliedCommandSeq: 0,
    }),
  );

/** Measures both journals in turns, so that other load of the machine slows both. */
async function compare(
  name: string,
  unit: string,
  rateOf: (journal: Journal) => Promise<number>,
): Promise<readonly BenchRow[]> {
  const turns = sized(8, 3);
  const seconds = { apart: 0, pair: 0, alone: 0 };
  const kinds = Object.keys(seconds) as (keyof typeof seconds)[];
  await withJournals(async (journals) => {
    for (let turn = 0; turn < turns; turn++)
      for (const kind of kinds) seconds[kind] += 1 / (await rateOf(journals[kind].journal));
  });
  const names = { apart: "pair, standby's disk in memory", pair: "pair on one disk", alone: "alone" };
  return kinds.map((kind) => ({
    ...{ name: `${name}, ${names[kind]}`, rate: Math.round(turns / seconds[kind]), unit },
    ...(kind !== "alone" && { against: `${name}, ${names.alone}` }),
  }));
}

/** Measures what a standby costs the journal of the active member. */
export async function benchPairJournal(): Promise<readonly BenchRow[]> {
  const results = async (journal: Journal): Promise<number> => (await rounds(journal, 100)) * resultsPerRound;
  return [
    ...(await compare("results", "results/s", results)),
    ...(await compare("commands, 64 in flight", "commands/s", (journal) => accept(journal, 5_000, 64))),
    ...(await compare("commands, one by one", "commands/s", (journal) => accept(journal, 200, 1))),
  ];
}

/** Measures rounds of results of a pair while a snapshot of the journal is made and read, in turns with others. */
export const benchPairSnapshot = (): Promise<readonly BenchRow[]> =>
  withJournals(async ({ apart: { journal, shipper, dataDir } }) => {
    if (shipper === undefined) return [];
    await rounds(journal, 300);
    const source = new SnapshotSource({ dataDir, clock: systemClock, shipper });
    const during = { rounds: 0, ms: 0 };
    const without = { rounds: 0, ms: 0 };
    let bytes = 0;
    for (let turn = 0; turn < 5; turn++) {
      const startedMs = performance.now();
      let reading = true;
      const read = readSnapshot(source).then((total) => {
        bytes = total;
        reading = false;
      });
      let count = 0;
      for (; reading; count += 3) await rounds(journal, 3);
      await read;
      during.rounds += count;
      during.ms += performance.now() - startedMs;
      without.ms += (count / (await rounds(journal, count))) * 1_000;
      without.rounds += count;
    }
    const rate = (measured: typeof during): number =>
      Math.round((measured.rounds * resultsPerRound * 1_000) / measured.ms);
    const note = `${Math.round(bytes / 2 ** 20)} MiB in ${Math.round(during.ms / 5)} ms`;
    return [
      {
        name: "results during a snapshot",
        rate: rate(during),
        unit: "results/s",
        note,
        against: "results without one",
      },
      { name: "results without one", rate: rate(without), unit: "results/s" },
    ];
  });

/** Makes and reads a snapshot. Returns its size, bytes. */
async function readSnapshot(source: SnapshotSource): Promise<number> {
  let piece = await source.begin();
  while (piece.ok && piece.value.offset + piece.value.bytes.length < piece.value.totalBytes)
    piece = await source.read(piece.value.id, piece.value.offset + piece.value.bytes.length);
  if (!piece.ok) throw new Error(piece.error);
  await source.end();
  return piece.value.totalBytes;
}
