import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import { type OpenRealm, type RealmOptions, recoverRealm } from "@realmwatch/agent/realm/open-realm";
import { recoverKeptState } from "@realmwatch/agent/recovered-journal";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";

type BenchRealmOptions = Pick<RealmOptions, "run"> & {
  readonly plan: RealmPlan;
  /** Maximum number of checks at a time. Default: 1024. */
  readonly maxConcurrentChecks?: number;
  /** Called at the end of each check with the delay of its start, ms. */
  ended?(latencyMs: number): void;
};

/** Opens a realm with real loop, journal and read model in a temporary folder, which `close` removes. */
export async function openBenchRealm(
  options: BenchRealmOptions,
): Promise<{ readonly open: OpenRealm; close(graceMs: number): Promise<void> }> {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const opened = await openJournal({ dataDir, realm: "bench", historyRetentionMs: 3_600_000, clock: systemClock });
  if (!opened.ok) throw new Error(opened.error);
  const journal = opened.value;
  const model = memoryReadModel({ generation: "1", history: journal });
  const recovered = recoverRealm({
    name: "bench",
    plan: options.plan,
    clock: systemClock,
    epoch: 1,
    stored: await recoverKeptState(journal, systemClock.now()),
  });
  const open = await recovered.open({
    journal,
    run: options.run,
    zones: new Set(["default"]),
    source: "bench",
    maxConcurrentChecks: options.maxConcurrentChecks ?? 1024,
    listeners: {
      rowsChanged: (changes) => model.apply(changes.map(({ change }) => change)),
      catalogChanged: () => {},
      historyAdvanced: () => {},
      notify: () => {},
      handle: () => {},
      journalFailed: () => {},
      journalHealed: () => {},
      resultDropped: () => {},
      checkEnded: (_type, _outcome, { latencyMs }) => options.ended?.(latencyMs),
    },
  });
  return {
    open,
    async close(graceMs) {
      await open.stop(graceMs);
      await journal.close();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
}
