import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { backUpJournal } from "../../journal/back-up-journal.ts";
import { journalFile } from "../../journal/schema/journal-files.ts";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import { readJournalEnd } from "../../journal/shipping/read-journal-end.ts";
import { writeFileAtomically } from "../../platform/files/text-file.ts";
import type { JournalRelation } from "./journal-relation.ts";

/** Folder in the data directory with journals that had diverged, each in a folder `<term>-<position>`. */
const divergedFolder = "diverged";
const noteFile = "diverged.json";
/** Most copies that are kept; the oldest are removed. */
const maxDivergedCopies = 10;
/** Most history records of a slice. */
const sliceRecords = 500;

/** Note beside a copy. */
type DivergedNote = {
  /** Last history record that the active member has too. */
  readonly historySeq: number;
  /** Last history record that the active member has merged. */
  readonly mergedSeq: number;
};

/** History records that a member had alone, for the active member to append. */
export type DivergedSlice = {
  /** Name of the copy. */
  readonly copy: string;
  readonly entries: readonly HistoryEntry[];
  /** Number of the last entry in the copy. */
  readonly lastSeq: number;
};

const folderOf = (dataDir: string, copy: string): string => join(dataDir, divergedFolder, copy);

/**
 * Copies a journal that has diverged before it is replaced. A copy of the same end is kept as it is; one of another
 * journal with the same term and position gets a number.
 */
export async function keepDivergedCopy(
  dataDir: string,
  own: JournalPosition,
  { historySeq }: Extract<JournalRelation, { kind: "diverged" }>,
): Promise<Result<void, string>> {
  const name = `${own.terms.at(-1)?.term ?? 0}-${own.position}`;
  let copy = name;
  for (let n = 2; existsSync(join(folderOf(dataDir, copy), noteFile)); n++) {
    if (isCopyOf(join(folderOf(dataDir, copy), journalFile), own)) return ok(undefined);
    copy = `${name}-${n}`;
  }
  try {
    const folder = folderOf(dataDir, copy);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const copied = await backUpJournal(dataDir, join(folder, journalFile));
    if (!copied.ok) return fail(`the own journal has diverged and cannot be kept: ${copied.error}`);
    const note: DivergedNote = { historySeq, mergedSeq: historySeq };
    return await writeFileAtomically(join(folder, noteFile), [JSON.stringify(note)]);
  } catch (error) {
    return fail(`the own journal has diverged and cannot be kept: ${errorText(error)}`);
  }
}

function isCopyOf(path: string, own: JournalPosition): boolean {
  try {
    const db = new DatabaseSync(path, { readOnly: true });
    try {
      return JSON.stringify(readJournalEnd(db)) === JSON.stringify(own);
    } finally {
      db.close();
    }
  } catch {
    return false;
  }
}

/** Copies of a data directory, the oldest first. */
export function listDivergedCopies(dataDir: string): readonly string[] {
  try {
    const order = (copy: string): readonly number[] => copy.split("-").map(Number);
    return readdirSync(join(dataDir, divergedFolder))
      .filter((copy) => existsSync(join(folderOf(dataDir, copy), noteFile)))
      .sort((a, b) => {
        const [left, right] = [order(a), order(b)];
        const at = left.findIndex((part, i) => part !== right[i]);
        return at < 0 ? left.length - right.length : (left[at] ?? 0) - (right[at] ?? 0);
      });
  } catch {
    return [];
  }
}

/**
 * Removes the oldest copies beyond the newest ten.
 *
 * @param beforeRemoval called with the folder of each
 */
export function pruneDivergedCopies(dataDir: string, beforeRemoval: (folder: string) => void): void {
  for (const copy of listDivergedCopies(dataDir).slice(0, -maxDivergedCopies)) {
    beforeRemoval(folderOf(dataDir, copy));
    rmSync(folderOf(dataDir, copy), { recursive: true, force: true });
  }
}

/** Next history records of the oldest copy that were not merged; undefined when all were. */
export function divergedHistory(dataDir: string): DivergedSlice | undefined {
  for (const copy of listDivergedCopies(dataDir)) {
    const { mergedSeq } = readNote(dataDir, copy);
    const db = new DatabaseSync(join(folderOf(dataDir, copy), journalFile), { readOnly: true });
    try {
      const rows = db
        .prepare("SELECT seq, json FROM history WHERE seq > ? ORDER BY seq LIMIT ?")
        .all(mergedSeq, sliceRecords);
      if (rows.length === 0) continue;
      const entries = rows.map(({ json }) => JSON.parse(String(json)) as HistoryEntry);
      return { copy, entries, lastSeq: Number(rows.at(-1)?.["seq"]) };
    } finally {
      db.close();
    }
  }
  return undefined;
}

/** Notes that the active member has appended a slice durably. */
export function noteDivergedMerged(
  dataDir: string,
  { copy, lastSeq }: Pick<DivergedSlice, "copy" | "lastSeq">,
): Promise<Result<void, string>> {
  const note: DivergedNote = { ...readNote(dataDir, copy), mergedSeq: lastSeq };
  return writeFileAtomically(join(folderOf(dataDir, copy), noteFile), [JSON.stringify(note)]);
}

const readNote = (dataDir: string, copy: string): DivergedNote =>
  JSON.parse(readFileSync(join(folderOf(dataDir, copy), noteFile), "utf8")) as DivergedNote;
