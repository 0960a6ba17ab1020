import type { Dependency } from "@realmwatch/shared/api/probe-pages";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import {
  type Journal,
  type JournalHealth,
  type JournalOptions,
  openJournal,
  type Recovered,
} from "./journal/journal.ts";
import { sayGap } from "./journal/damage/missing-records.ts";
import { mintEpoch } from "./publish/epoch.ts";
import { type KeptObject, readEachKept } from "./realm/kept-object.ts";
import type { Kept as RealmKept } from "./realm/recover.ts";

/** The journal, all that it kept, and the epoch of this start. */
export type KeptJournal = { readonly journal: Journal; readonly kept: Kept; readonly epoch: number };

type Kept = Recovered & RealmKept;

/** Fails with a sentence; then nothing is open. */
export async function openKeptJournal(options: JournalOptions, log: Log): Promise<Result<KeptJournal, string>> {
  const opened = await openJournal({
    ...options,
    onDamage: (what) =>
      log.error({ dataDir: options.dataDir, what }, "the journal is damaged: what cannot be read is shown as such"),
  });
  if (!opened.ok) return opened;
  const journal = opened.value;
  const recovered = await recover(journal, options.clock.now());
  if (!recovered.ok) {
    await journal.close();
    return recovered;
  }
  const kept = recovered.value;
  if (kept.gap !== undefined)
    log.error({ dataDir: options.dataDir, ...kept.gap }, `the journal lost its end: ${sayGap(kept.gap)}`);
  const epoch = mintEpoch(options.clock.now(), kept.epoch);
  await journal.keepEpoch(epoch);
  return ok({ journal, kept, epoch });
}

/** All that a journal kept, objects read. Rejects as `Journal.recover` does. */
export async function recoverAll(journal: Journal, nowMs: number): Promise<Kept> {
  const states = new Map<string, KeptObject>();
  const rest = await journal.recover((slice) => {
    for (const [ref, object] of readEachKept(slice, nowMs)) states.set(ref, object);
  });
  return { ...rest, states };
}

/** Everything kept, or the sentence that says which record is damaged. */
async function recover(journal: Journal, nowMs: number): Promise<Result<Kept, string>> {
  try {
    return ok(await recoverAll(journal, nowMs));
  } catch (error) {
    return fail(error instanceof Error ? error.message : String(error));
  }
}

/** Where history alone cannot be read, checks and commands go on: that is told, and does not make the agent unready. */
export function journalDependency({ writable, error, gap }: JournalHealth): Dependency {
  const also = [gap === undefined ? "" : sayGap(gap), error].filter((note) => note !== "");
  return {
    name: "journal",
    ok: writable,
    needed: true,
    detail: writable ? ["takes writes", ...also].join("; ") : error,
  };
}
