import { stat, unlink } from "node:fs/promises";
import { join } from "node:path";
import type { Clock } from "@realmwatch/shared/model/clock";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { readTextFile, writeFileAtomically } from "../../platform/files/text-file.ts";
import { restoredCopyFile } from "../schema/journal-files.ts";
import { type MissingRecords, nameMissingRecords } from "./missing-records.ts";

/** Time after which a restart ends the note, ms. */
const noteForMs = 7 * 86_400_000;
/** Interval at which a running agent looks whether the loss was accepted, ms. */
const checkEveryMs = 2_000;

type Note = {
  readonly lost: MissingRecords;
  /** Time of the newest record before the lost ones, Unix ms; absent when there is none. */
  readonly sinceMs?: number;
  readonly foundAtMs: number;
};

/** Note that the data directory is an older copy of what the realm once had. */
export type RestoredCopy = Awaited<ReturnType<typeof openRestoredCopy>>;

/** [FD84] Reads the note of an earlier start, which ends after a week, and then looks for its removal. */
export async function openRestoredCopy(io: {
  readonly dataDir: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "warn" | "error">;
}) {
  const { dataDir, clock, log } = io;
  let note = await readNote(dataDir);
  let cancel = (): void => {};
  const text = (): string => (note === undefined ? "" : describeNote(note));
  if (note !== undefined && clock.now() - note.foundAtMs > noteForMs) {
    await acceptRestoredCopy(dataDir);
    note = undefined;
  } else if (note !== undefined) {
    log.error({ dataDir }, text());
    watch();
  }

  function watch(): void {
    cancel();
    cancel = clock.after(checkEveryMs, async () => {
      if (await isNoted(dataDir)) return watch();
      log.info({ dataDir, accepted: text() }, "the loss of data was accepted");
      note = undefined;
    });
  }

  return {
    /** Sentence that says what is lost since when; empty without a loss, and once it is accepted. */
    text,
    /**
     * Notes a loss in the data directory, so that it outlives restarts, together with one that is noted already.
     *
     * @param sinceMs time of the newest record before the lost ones, Unix ms; undefined when all records were lost
     */
    async note(lost: MissingRecords, sinceMs: number | undefined): Promise<void> {
      note = joined(note, { lost, ...(sinceMs === undefined ? {} : { sinceMs }), foundAtMs: clock.now() });
      log.error({ dataDir }, text());
      const written = await writeFileAtomically(join(dataDir, restoredCopyFile), [JSON.stringify(note)]);
      if (written.ok) watch();
      else log.warn({ dataDir, why: written.error }, "the loss cannot be noted: it is forgotten at the next start");
    },
    close: (): void => cancel(),
  };
}

/** Ends the note. Returns its text; empty when there was none. */
export async function acceptRestoredCopy(dataDir: string): Promise<Result<string, string>> {
  if (!(await stat(dataDir).catch(() => undefined))?.isDirectory())
    return fail(`${dataDir} is not a folder: is it an agent's -data-dir?`);
  const noted = await readNote(dataDir);
  if (noted === undefined) return ok("");
  try {
    await unlink(join(dataDir, restoredCopyFile));
    return ok(describeNote(noted));
  } catch (error) {
    return fail(`${join(dataDir, restoredCopyFile)} cannot be deleted: ${errorText(error)}`);
  }
}

/** One note for two losses: from the first lost record to the last one. */
const joined = (before: Note | undefined, note: Note): Note =>
  before === undefined
    ? note
    : {
        ...before,
        lost: {
          fromSeq: Math.min(before.lost.fromSeq, note.lost.fromSeq),
          toSeq: Math.max(before.lost.toSeq, note.lost.toSeq),
          lostCommands: (before.lost.lostCommands ?? 0) + (note.lost.lostCommands ?? 0),
        },
        foundAtMs: note.foundAtMs,
      };

function describeNote({ lost, sinceMs }: Note): string {
  const since = sinceMs === undefined ? "" : ` since ${new Date(sinceMs).toISOString().replace(/\.\d+/, "")}`;
  return `this agent started on an older copy of its data: ${nameMissingRecords(lost) || "unknown records"}${since} were lost; accept that with realmwatch-agent accept-restore`;
}

const isNoted = async (dataDir: string): Promise<boolean> => {
  const read = await readTextFile(join(dataDir, restoredCopyFile));
  return read.ok || read.error !== "ENOENT";
};

/** Note in the data directory. A damaged file counts as a note of an unknown loss that no restart ends. */
async function readNote(dataDir: string): Promise<Note | undefined> {
  const read = await readTextFile(join(dataDir, restoredCopyFile));
  if (!read.ok && read.error === "ENOENT") return undefined;
  try {
    const note = JSON.parse(read.ok ? read.value : "") as Note;
    if (Number.isFinite(note.foundAtMs) && Number.isSafeInteger(note.lost.toSeq)) return note;
  } catch {
    // The file is damaged.
  }
  return { lost: { fromSeq: 1, toSeq: 0 }, foundAtMs: Number.POSITIVE_INFINITY };
}
