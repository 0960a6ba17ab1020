import type { DependencyStatus } from "@realmwatch/shared/api/probe-pages";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { formatMissingRecords, type MissingRecords } from "./journal/damage/missing-records.ts";
import { openRestoredCopy, type RestoredCopy } from "./journal/damage/restored-copy.ts";
import type { Journal } from "./journal/journal.ts";
import type { JournalHealth, JournalOptions, JournalRecovery } from "./journal/journal-contract.ts";
import { openJournal } from "./journal/threads/open-journal.ts";
import { mintEpoch } from "./publish/epoch.ts";
import type { StoredState as RealmKept } from "./realm/durability/recover-state.ts";
import { type JournaledObject, parseStoredObjects } from "./realm/durability/stored-object.ts";

/** The journal, the state recovered from it, and the epoch of this start. */
export type RecoveredJournal = {
  readonly journal: Journal;
  readonly kept: Kept;
  readonly epoch: number;
  readonly restoredCopy: RestoredCopy;
  /** Closes the journal and `restoredCopy`. */
  close(): Promise<void>;
};

/** Term of a pair that begins with the opening of its journal. */
type JournalTermStart = {
  readonly epoch: number;
  /** Name of the member that becomes active. */
  readonly member: string;
};

type Kept = JournalRecovery & RealmKept;

/** Opens the journal and recovers its state. Fails with a sentence, and then leaves no file open. */
export async function openRecoveredJournal(
  options: JournalOptions & { readonly term?: JournalTermStart },
  log: Log,
): Promise<Result<RecoveredJournal, string>> {
  const opened = await openJournal({
    ...options,
    onDamage: (what) =>
      log.error(
        { dataDir: options.dataDir, what },
        "the journal is damaged; records that cannot be read are shown as damaged",
      ),
  });
  if (!opened.ok) return opened;
  const journal = opened.value;
  const recovered = await recover(journal, options.clock.now());
  if (!recovered.ok) {
    await journal.close();
    return recovered;
  }
  const kept = recovered.value;
  if (kept.missing !== undefined)
    log.error(
      { dataDir: options.dataDir, ...kept.missing },
      `the journal lost its end: ${formatMissingRecords(kept.missing)}`,
    );
  const { term } = options;
  // The first group of a term: what a member of the pair before wrote after it is its own.
  if (term !== undefined) void journal.beginTerm(term.epoch, term.member);
  const epoch = term?.epoch ?? mintEpoch(options.clock.now(), kept.epoch);
  if (epoch < kept.epoch)
    log.warn(
      { dataDir: options.dataDir, stored: kept.epoch, epoch },
      "the stored epoch is more than 24 h ahead of this clock, which was wrong at an earlier start: a new one begins",
    );
  await journal.keepEpoch(epoch);
  const restoredCopy = await openRestoredCopy({ ...options, log });
  if (
    kept.missing !== undefined &&
    (kept.missing.toSeq >= kept.missing.fromSeq || kept.missing.lostCommands !== undefined)
  )
    await noteLoss({ journal, restoredCopy }, kept.missing);
  const close = (): Promise<void> => {
    restoredCopy.close();
    return journal.close();
  };
  return ok({ journal, kept, epoch, restoredCopy, close });
}

/** Notes that records are lost, and since when: the time of the newest record before them. */
export async function noteLoss(
  { journal, restoredCopy }: Pick<RecoveredJournal, "journal" | "restoredCopy">,
  lost: MissingRecords,
): Promise<void> {
  const [before] = await journal.historyAfter(lost.fromSeq - 2, 1);
  await restoredCopy.note(lost, before?.seq === lost.fromSeq - 1 ? before.atMs : undefined);
}

/** Loss of data on the readiness page, until it is accepted. The agent stays ready: it goes on with what it has. */
export const restoredCopyDependency = (copy: Pick<RestoredCopy, "text">): readonly DependencyStatus[] =>
  copy.text() === "" ? [] : [{ name: "data", ok: false, needed: false, detail: copy.text() }];

/** State recovered from a journal. Rejects as `Journal.recover` does. */
export async function recoverKeptState(journal: Journal, nowMs: number): Promise<Kept> {
  const states = new Map<string, JournaledObject>();
  const rest = await journal.recover((slice) => {
    for (const [ref, object] of parseStoredObjects(slice, nowMs)) states.set(ref, object);
  });
  return { ...rest, states };
}

/** Recovered state, or a sentence that names the damaged record. */
async function recover(journal: Journal, nowMs: number): Promise<Result<Kept, string>> {
  try {
    return ok(await recoverKeptState(journal, nowMs));
  } catch (error) {
    return fail(errorText(error));
  }
}

/**
 * The journal on the readiness page. Damaged history is reported and leaves the agent ready, because checks and
 * commands go on. `readError`: reason why another reader cannot read history; empty for none.
 */
export function journalDependency({ writable, error, missing }: JournalHealth, readError: string): DependencyStatus {
  const also = [missing === undefined ? "" : formatMissingRecords(missing), error || readError].filter(
    (note) => note !== "",
  );
  return {
    name: "journal",
    ok: writable,
    needed: true,
    detail: writable ? ["accepts writes", ...also].join("; ") : error,
  };
}
