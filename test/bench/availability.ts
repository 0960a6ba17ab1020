import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { monitorEventLoopDelay } from "node:perf_hooks";
import { openJournal } from "@realmwatch/agent/journal/threads/open-journal";
import type { ReadonlyRecord } from "@realmwatch/agent/realm/state/realm-reader";
import { measuredEngine } from "@realmwatch/agent/service-levels/measured-realm";
import { ServiceLevels } from "@realmwatch/agent/service-levels/service-levels";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { Status } from "@realmwatch/shared/model/status";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

const objects = 1_000;
const days = sized(90, 20);
const changesPerDay = 4;
const dayMs = 86_400_000;

/** Measures a report over 90 days of 1 000 objects with four hard changes a day each, within office hours. */
export async function benchAvailability(): Promise<BenchRow[]> {
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const nowMs = systemClock.now();
  const keys = Array.from({ length: objects }, (_, n) => ({ kind: "host", name: `host${n}` }) as const);
  try {
    const opened = await openJournal({ dataDir, realm: "bench", historyRetentionMs: 1e12, clock: systemClock });
    if (!opened.ok) throw new Error(opened.error);
    const journal = opened.value;
    await journal.recover(() => {});
    for (let day = 0; day < days; day += 1) {
      const history: HistoryEntry[] = [];
      for (let change = 0; change < changesPerDay; change += 1)
        for (const key of keys) {
          const [previousStatus, status]: [Status, Status] = change % 2 === 0 ? ["ok", "critical"] : ["critical", "ok"];
          const atMs = nowMs - (days - day - change / changesPerDay) * dayMs;
          const output = `HTTP ${status}: 200 OK - 1234 bytes in 0.012 second response time`;
          history.push({ atMs, type: "state", key, status, previousStatus, stateType: "hard", attempt: 1, output });
        }
      await journal.append({ states: [], program: undefined, history, appliedCommandSeq: 0 });
    }
    const slo = { name: "all", selector: "@kind=host", target: 99.9, period: "office", excludeDowntimes: true };
    const hours = "08:00-18:00";
    const ranges = { monday: hours, tuesday: hours, wednesday: hours, thursday: hours, friday: hours };
    const plan = {
      objects: new Map(
        keys.map((key) => [key.name, { ref: key.name, key, about: { key, labels: {} } } as unknown as ObjectPlan]),
      ),
      slos: [{ ...slo, downStatuses: ["critical"] }],
      timeperiods: new Map([["office", { timezone: "Europe/Berlin", ranges, exclude: [] }]]),
    } as unknown as RealmPlan;
    const records = new Map<string, ReadonlyRecord>();
    const levels = new ServiceLevels({
      realm: measuredEngine({ name: "bench", plan, records }),
      journal,
      clock: systemClock,
    });
    const rows: BenchRow[] = [];
    for (const run of ["first", "second"]) {
      const delay = monitorEventLoopDelay({ resolution: 1 });
      delay.enable();
      const startedMs = performance.now();
      const report = await levels.report({ slo: "", range: { fromMs: nowMs - days * dayMs, toMs: nowMs } });
      const tookMs = performance.now() - startedMs;
      delay.disable();
      if (!report.ok) throw new Error(JSON.stringify(report.error));
      const note = `achieved ${report.value[0]?.achieved?.toFixed(3)} %; longest block of the thread ${(delay.max / 1e6).toFixed(1)} ms`;
      rows.push({ name: `${objects} objects, ${days} days, ${run}`, rate: tookMs, unit: "ms", note });
    }
    await journal.close();
    return rows;
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}
