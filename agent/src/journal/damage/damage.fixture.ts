import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { alertReader } from "../alert-table.ts";
import { openJournalHistoryReader } from "../history/history-reader.ts";
import { storedNotification } from "../journal.fixture.ts";
import { openJournalForReading } from "../schema/journal-schema.ts";
import { type JournalStore, openJournalStore } from "../write/journal-store.ts";
import type { WriteOperation } from "../write/write-operation.ts";

/** Files of a data directory by name. */
export type DataDirFiles = Readonly<Record<string, Buffer>>;

const names = ["journal.db", "journal.db-wal", "cursors.db", "cursors.db-wal"];

/** Makes a folder for thousands of data directories; in memory if possible, because they need not be durable. */
export function makeDamageFolder(): string {
  return mkdtempSync(join(existsSync("/dev/shm") ? "/dev/shm" : tmpdir(), "realmwatch-damage-"));
}

export function writeDataDir(dataDir: string, files: DataDirFiles): void {
  rmSync(dataDir, { recursive: true, force: true });
  mkdirSync(dataDir);
  for (const [name, bytes] of Object.entries(files)) writeFileSync(join(dataDir, name), bytes);
}

const readFiles = (dataDir: string): DataDirFiles =>
  Object.fromEntries(
    names.flatMap((name) => {
      const path = join(dataDir, name);
      return existsSync(path) ? [[name, readFileSync(path)]] : [];
    }),
  );

const accept = (text: string) =>
  ({
    kind: "accept",
    json: JSON.stringify({ text }),
    audit: [{ atMs: 7, json: JSON.stringify({ atMs: 7, text }) }],
    alerts: [{ key: `alert ${text}`, json: JSON.stringify({ text }) }],
  }) as const;
const append = (text: string): WriteOperation => ({
  kind: "append",
  batch: {
    states: [{ ref: `host-${text}`, state: JSON.stringify({ text }) }],
    program: JSON.stringify({ text }),
    history: [{ atMs: 5, type: "config", key: { kind: "host", name: "web1" }, output: text }],
    appliedCommandSeq: 0,
    notifications: [{ ...storedNotification(`n-${text}`), output: text }],
  },
});

/**
 * Files that a killed process leaves after three commits: in the write-ahead log, or written back into the database.
 * Pages have 512 bytes, so that few bytes have to be damaged.
 */
export function leaveThreeCommits(folder: string, where: "log" | "file"): DataDirFiles {
  const live = mkdtempSync(join(folder, "live-"));
  const small = new DatabaseSync(join(live, "journal.db"));
  small.exec("PRAGMA page_size = 512; PRAGMA journal_mode = WAL");
  small.close();
  // Writes the tables back into the database.
  openStore(live).close();
  const store = openStore(live);
  for (const text of ["one", "two", "three"]) store.write([accept(text), append(text)]);
  if (where === "file") store.close();
  const files = readFiles(live);
  if (where === "log") store.close();
  return files;
}

function openStore(dataDir: string): JournalStore {
  const store = openJournalStore({ dataDir, realm: "r" });
  if (!store.ok) throw new Error(store.error);
  return store.value;
}

export type JournalContents = {
  readonly commands: readonly string[];
  readonly rest: string;
  /** Undefined for a record that is reported as damaged. */
  readonly history: readonly (string | undefined)[];
  readonly audit: readonly (string | undefined)[];
  readonly missing: unknown;
};

/** Everything that can be read from a journal, or the sentence that refuses it. */
export function readJournalContents(dataDir: string): JournalContents | string {
  let store: JournalStore | undefined;
  let db: DatabaseSync | undefined;
  try {
    store = openStore(dataDir);
    db = openJournalForReading(dataDir);
    const reader = openJournalHistoryReader(db);
    const history = reader.after(0, 100);
    const { commands, missing, ...head } = store.recover(0);
    const page = { refs: undefined, types: [], sinceMs: undefined, untilMs: undefined, before: undefined, limit: 100 };
    return {
      commands: commands.map(({ json }) => (JSON.parse(json) as { text: string }).text),
      rest: JSON.stringify([head, store.states(0, 100), alertReader(db)(0), reader.page(page).rows.length]),
      history: history.map(({ json }) => json),
      audit: reader.audit(undefined, 100).map(({ json }) => json),
      missing,
    };
  } catch (error) {
    return errorText(error);
  } finally {
    db?.close();
    store?.close();
  }
}
