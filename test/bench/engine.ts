import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CheckResult, Surroundings } from "@realmwatch/agent/engine/input";
import { newState, type ObjectState } from "@realmwatch/agent/engine/state";
import { step } from "@realmwatch/agent/engine/step";
import { openJournal } from "@realmwatch/agent/journal/journal";
import { openRealm } from "@realmwatch/agent/realm/open-realm";
import type { HostPlan, ObjectPlan, RealmPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import type { ObjectKey } from "@realmwatch/shared/words/object-key";
import type { Row } from "./row.ts";

const schedule = {
  checkIntervalMs: 60_000,
  retryIntervalMs: 15_000,
  timeoutMs: 10_000,
  maxAttempts: 3,
  checkPeriod: "",
};
const flap = { enabled: true, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false };
const check = { type: "passive", freshnessThresholdMs: 3_600_000, staleStatus: "unknown" } as const;

function objectOf(ref: string, key: ObjectKey): Omit<ServicePlan, "key" | "host"> {
  const about = {
    key,
    labels: { env: "prod" },
    parents: [],
    checkType: "passive",
    rule: "",
    zone: "default",
    checkPeriod: "",
    notificationPeriod: "",
  };
  return { ref, about, vars: {}, policy: "", flap, digest: "", check, schedule, handler: "", handlerEnabled: true };
}

/** `hosts` hosts with ten services each. */
function planOf(hosts: number): RealmPlan {
  const objects = new Map<string, ObjectPlan>();
  for (let h = 0; h < hosts; h += 1) {
    const name = `host-${h}`;
    const services = Array.from({ length: 10 }, (_, s) => `${name}!service-${s}`);
    const key = { kind: "host", name } as const;
    objects.set(name, {
      ...objectOf(name, key),
      key,
      address: "127.0.0.1",
      parents: [],
      children: [],
      services,
    } as HostPlan);
    for (const [s, ref] of services.entries()) {
      const own = { kind: "service", host: name, name: `service-${s}` } as const;
      objects.set(ref, { ...objectOf(ref, own), key: own, host: name } as ServicePlan);
    }
  }
  return {
    objects,
    ...{ timeperiods: new Map(), policies: new Map(), contacts: new Map() },
    ...{ recurringDowntimes: [], dependencies: [] },
  } as unknown as RealmPlan;
}

const resultOf = (status: CheckResult["status"], executedAtMs: number): CheckResult => ({
  status,
  output: "the service answered in 12 ms as it should",
  longOutput: "",
  perfdata: [],
  executedAtMs,
  latencyMs: 1,
  executionMs: 12,
  source: "bench",
  origin: "active",
});

const around: Surroundings = {
  hostDown: false,
  hostBlocked: false,
  parents: "none",
  passiveChecksOn: true,
  flapDetectionOn: true,
  closedUntilMs: undefined,
};

/** The engine alone: one result after the other over 100 000 objects, one in a hundred a change. */
export function benchSteps(): Row[] {
  const plans = [...planOf(9_091).objects.values()];
  const states: ObjectState[] = plans.map(() => newState(0));
  const rounds = 5;
  const startedMs = performance.now();
  for (let round = 1; round <= rounds; round += 1)
    for (const [index, plan] of plans.entries()) {
      const status = (index + round) % 100 === 0 ? "critical" : "ok";
      const input = { kind: "result", result: resultOf(status, round * 60_000) } as const;
      const state = states[index];
      if (state !== undefined) states[index] = step({ plan, around, nowMs: round * 60_000 }, state, input).state;
    }
  const seconds = (performance.now() - startedMs) / 1000;
  return [
    {
      name: "engine steps",
      rate: (plans.length * rounds) / seconds,
      unit: "steps/s",
      note: `${plans.length} objects, 1 % changes`,
    },
  ];
}

/** Results through loop, journal and read model, as an agent's own checks bring them. */
export async function benchLoop(): Promise<Row[]> {
  const plan = planOf(1_000);
  const dataDir = mkdtempSync(join(tmpdir(), "realmwatch-bench-"));
  const opened = await openJournal({ dataDir, realm: "bench", historyRetentionMs: 3_600_000, clock: systemClock });
  if (!opened.ok) throw new Error(opened.error);
  const journal = opened.value;
  const model = memoryReadModel({ generation: "1", history: journal });
  const open = await openRealm({
    name: "bench",
    plan,
    clock: systemClock,
    journal,
    epoch: 1,
    kept: await journal.recover(),
    run: () => Promise.reject(new Error("nothing is checked here")),
    zones: new Set(),
    source: "bench",
    maxConcurrentChecks: 1,
    listeners: {
      told: (changes) => model.apply(changes.map(({ change }) => change)),
      catalogChanged: () => {},
      historyAdvanced: () => {},
      resultDropped: () => {},
      notify: () => {},
      handle: () => {},
      journalFailed: () => {},
      journalHealed: () => {},
      checkEnded: () => {},
    },
  });
  const refs = [...plan.objects.keys()];
  const run = async (share: number, rounds: number): Promise<number> => {
    const startedMs = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, ref] of refs.entries())
        open.loop.submitResult(
          ref,
          resultOf(share > 0 && (index + round) % share === 0 ? "critical" : "ok", Date.now()),
        );
      await open.loop.settled();
    }
    return (refs.length * rounds) / ((performance.now() - startedMs) / 1000);
  };
  await run(0, 2);
  const steady = await run(100, 10);
  const stormy = await run(2, 4);
  await open.stop(0);
  await journal.close();
  rmSync(dataDir, { recursive: true, force: true });
  return [
    {
      name: "results through loop, journal and read model",
      rate: steady,
      unit: "results/s",
      note: `${refs.length} objects, 1 % changes`,
    },
    {
      name: "the same in a storm",
      rate: stormy,
      unit: "results/s",
      note: "every second result a change",
      against: "results through loop, journal and read model",
    },
  ];
}
