import type { CheckResult } from "@realmwatch/agent/engine/input";
import type { ObjectRecord } from "@realmwatch/agent/realm/state/object-record";
import type { HostPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { sleep } from "@realmwatch/shared/model/clock";
import { outcome } from "@realmwatch/shared/model/outcome";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { benchPlan } from "./bench-plan.ts";
import { openBenchRealm } from "./bench-realm.ts";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

const children = sized(10_000, 2_000);
const hourMs = 3_600_000;

/** Plan with a router and hosts behind it, with intervals so long that no regular check runs within the measurement. */
function treePlan(): RealmPlan {
  const plan = benchPlan(children + 1);
  const hosts = [...plan.objects.values()].filter((object): object is HostPlan => "children" in object);
  const [router, ...rest] = hosts.map(
    (host): HostPlan => ({
      ...host,
      services: [],
      check: { type: "tcp", host: "127.0.0.1", port: 9 },
      schedule: { ...host.schedule, checkIntervalMs: 1000 * hourMs, retryIntervalMs: 1000 * hourMs },
    }),
  );
  if (router === undefined) throw new Error("no router");
  const objects = new Map<string, HostPlan>([[router.ref, { ...router, children: rest.map(({ ref }) => ref) }]]);
  for (const host of rest) objects.set(host.ref, { ...host, parents: [router.ref] });
  return { ...plan, objects };
}

/** Measures the longest CPU time between two turns of the event loop, ms; other programs do not count. */
function watchThread(): { takeLongestMs(): number; stop(): void } {
  const usedMs = (): number => {
    const { user, system } = process.threadCpuUsage();
    return (user + system) / 1000;
  };
  let [longestMs, lastMs, stopped] = [0, usedMs(), false];
  const measure = (): void => {
    const nowMs = usedMs();
    longestMs = Math.max(longestMs, nowMs - lastMs);
    lastMs = nowMs;
    if (!stopped) setImmediate(measure);
  };
  setImmediate(measure);
  return {
    takeLongestMs() {
      const taken = longestMs;
      longestMs = 0;
      return taken;
    },
    stop() {
      stopped = true;
    },
  };
}

/** Measures the longest stall when a router above 10 000 hosts fails and recovers, which causes a check of each. */
export async function benchRouterFlip(): Promise<BenchRow[]> {
  let answer: "ok" | "critical" = "ok";
  const { open, close } = await openBenchRealm({
    plan: treePlan(),
    async run() {
      const status = answer;
      await sleep(systemClock, 5);
      return { ...outcome(status, status), executionMs: 5 };
    },
  });
  open.start();
  const [router] = open.realm.records.keys();
  if (router === undefined) throw new Error("no router");
  const thread = watchThread();
  const submit = (status: CheckResult["status"]): void => {
    answer = status === "ok" ? "ok" : "critical";
    open.inputs.submitResult(router, {
      ...{ status, output: status, longOutput: "", perfdata: [], executedAtMs: systemClock.now() },
      ...{ latencyMs: 1, executionMs: 1, source: "bench", origin: "passive" },
    });
  };
  const settled = async (): Promise<void> => {
    await open.loop.settled();
    while (open.scheduler.runningCount > 0 || open.scheduler.waitingCount > 0 || open.loop.inputsWaiting > 0) {
      await sleep(systemClock, 5);
      await open.loop.settled();
    }
  };
  const ageResults = (): void => {
    // Results become old enough for on-demand checks.
    const records: ReadonlyMap<string, ObjectRecord> = open.realm.records;
    for (const record of records.values()) {
      const { last } = record.state;
      if (last !== undefined)
        record.state = { ...record.state, last: { ...last, executedAtMs: last.executedAtMs - 20_000 } };
    }
  };
  const rows: BenchRow[] = [];
  const phase = async (name: string, action: () => void): Promise<void> => {
    await settled();
    ageResults();
    await sleep(systemClock, 200);
    thread.takeLongestMs();
    const startedMs = performance.now();
    action();
    await settled();
    const tookMs = performance.now() - startedMs;
    const counts = new Map<string, number>();
    for (const { state } of open.realm.records.values()) {
      const key = "status" in state.phase ? `${state.phase.kind} ${state.phase.status}` : state.phase.kind;
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
    const note = `${[...counts].map(([key, count]) => `${count} ${key}`).join(", ")}; all checked after ${Math.round(tookMs)} ms`;
    rows.push({ name, rate: thread.takeLongestMs(), unit: "ms at most", note });
  };
  await phase("all are ok", () => {
    for (const ref of open.realm.records.keys()) open.scheduler.checkNow(ref);
  });
  for (const round of ["first", "second"]) {
    await phase(`a router fails, ${round} time`, () => submit("critical"));
    await phase(`  hard, ${round} time`, () => {
      submit("critical");
      submit("critical");
    });
    await phase(`  recovers, ${round} time`, () => submit("ok"));
  }
  thread.stop();
  await close(1000);
  return rows;
}
