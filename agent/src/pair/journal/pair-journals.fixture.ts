import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  rmSync,
  statfsSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { alertChangeOf, storedNotification, testHistoryEntry } from "../../journal/journal.fixture.ts";
import type { WriteOperation } from "../../journal/write/write-operation.ts";

const journalTables = ["meta", "state", "command", "notification", "alert", "history", "answer", "audit"];

/** All rows of a journal, by table, without the facts that its member notes for itself. */
export function journalRows(dataDir: string): Readonly<Record<string, readonly string[]>> {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true, timeout: 5_000 });
  const rowsOf = (table: string): string[] =>
    db
      .prepare(`SELECT * FROM ${table} ORDER BY 1`)
      .all()
      .filter(({ name }) => name !== "pair_facts")
      .map((row) => JSON.stringify(row));
  const rows = Object.fromEntries(journalTables.map((table) => [table, rowsOf(table)]));
  db.close();
  return rows;
}

/** Fails at the first table whose rows differ. */
export function assertEqualJournals(first: string, second: string): void {
  const [one, other] = [journalRows(first), journalRows(second)];
  for (const table of journalTables) assert.deepEqual(one[table], other[table], `table ${table}`);
}

/** Random operation of any kind; `n` makes it unlike the others. `history`: last history record of the journal. */
export function randomOperation(random: SeededRandom, n: number, history: number): WriteOperation {
  const pick = (limit: number): number => Math.floor(random.upTo(limit));
  const audit = pick(2) === 0 ? [] : [{ atMs: n, json: `{"n":${n},"text":"ä\\n\u{1f600}"}` }];
  const answer = {
    identity: "ann",
    key: `k${pick(30)}`,
    requestHash: `h${n}`,
    atMs: n,
    quota: random.oneOf(["results", "commands"]),
    answer: { kind: "accepted" as const, ids: [`c${n}`], matched: 1 },
  };
  switch (pick(12)) {
    case 0:
    case 1:
      return {
        ...{ kind: "accept", json: `{"n":${n}}`, audit, ...(pick(2) === 0 && { answer }) },
        ...(pick(2) === 0 && { alerts: [alertChangeOf(`${n}`), alertChangeOf(`next ${n}`)] }),
      };
    case 2:
      return { kind: "audit", audit: [{ atMs: n, json: `{"audit":${n}}` }, ...audit] };
    case 3:
      return { kind: "answer", answer };
    case 4:
      return {
        kind: "trim",
        table: random.oneOf(["history", "audit", "answer"]),
        beforeMs: n - pick(60),
        limit: 1 + pick(10),
      };
    case 5:
      return pick(4) === 0
        ? { kind: "skip", missing: { fromSeq: 1, toSeq: 0, logGone: true }, commandSeq: 0, atMs: n }
        : { kind: "probe" };
    case 6:
      return { kind: "epoch", epoch: n };
    case 7:
      return { kind: "cursor", name: random.oneOf(["nats", "sink a"]), seq: pick(history + 1) };
    case 8:
      return pick(3) === 0 ? { kind: "facts", json: `{"mine":${n}}` } : { kind: "document", text: `realm: "${n}"` };
    default:
      return {
        kind: "append",
        batch: {
          states: Array.from({ length: pick(6) }, () => ({
            ref: `h${pick(20)}`,
            state: pick(4) === 0 ? undefined : `{"n":${n},"pad":"${"x".repeat(pick(400))}"}`,
          })),
          program: pick(4) === 0 ? `{"p":${n}}` : undefined,
          history: Array.from({ length: pick(4) }, (_, i) => testHistoryEntry(n + i, { output: `ü ${n}`, attempt: i })),
          appliedCommandSeq: pick(3) === 0 ? pick(n) : 0,
          notifications: pick(2) === 0 ? [storedNotification(`n${pick(20)}`)] : [],
          delivered: pick(2) === 0 ? [`n${pick(20)}`] : [],
        },
      };
  }
}

/** Folder in memory if possible: its data directories need not be durable. */
export const makePairFolder = (): string =>
  mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "realmwatch-pair-"));

/** Copies a data directory as a killed process leaves it. */
export function copyAsKilled(from: string, to: string): void {
  mkdirSync(to, { recursive: true, mode: 0o700 });
  for (const name of readdirSync(from))
    if (/^(journal|cursors)\.db/.test(name) && !name.endsWith("-shm")) copyFileSync(join(from, name), join(to, name));
}

/** Mounts a file system of 8 MiB; undefined when this process may not. Ends with `after`. */
export function mountSmallDisk(dir: string, after: (end: () => void) => void) {
  if (process.getuid?.() !== 0) return undefined;
  try {
    mkdirSync(dir, { recursive: true });
    execFileSync("mount", ["-t", "tmpfs", "-o", "size=8m", "tmpfs", dir], { stdio: "ignore" });
  } catch {
    return undefined;
  }
  after(() => execFileSync("umount", ["-l", dir]));
  const ballast = join(dir, "ballast");
  return {
    fill(): void {
      const { bavail, bsize } = statfsSync(dir);
      writeFileSync(ballast, Buffer.alloc(bavail * bsize));
    },
    heal: (): void => rmSync(ballast, { force: true }),
  };
}
