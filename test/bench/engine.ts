import type { CheckResult } from "@realmwatch/agent/engine/input";
import { defaultObjectContext } from "@realmwatch/agent/engine/object-context.fixture";
import { newState, type ObjectState } from "@realmwatch/agent/engine/state/object-state";
import { step } from "@realmwatch/agent/engine/step";
import { benchPlan } from "./bench-plan.ts";
import { openBenchRealm } from "./bench-realm.ts";
import type { BenchRow } from "./bench-row.ts";

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

/** Measures the engine alone: results of 100 000 objects in turn, one in a hundred with a change of status. */
export function benchSteps(): BenchRow[] {
  const plans = [...benchPlan(9_091).objects.values()];
  const states: ObjectState[] = plans.map(() => newState(0));
  const rounds = 5;
  const startedMs = performance.now();
  for (let round = 1; round <= rounds; round += 1)
    for (const [index, plan] of plans.entries()) {
      const status = (index + round) % 100 === 0 ? "critical" : "ok";
      const input = { kind: "result", result: resultOf(status, round * 60_000) } as const;
      const state = states[index];
      if (state !== undefined)
        states[index] = step({ plan, objectContext: defaultObjectContext, nowMs: round * 60_000 }, state, input).state;
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

/** Measures results through loop, journal and read model, like those of active checks. */
export async function benchLoop(): Promise<BenchRow[]> {
  const plan = benchPlan(1_000);
  const { open, close } = await openBenchRealm({
    plan,
    run: () => Promise.reject(new Error("all checks are passive")),
  });
  const refs = [...plan.objects.keys()];
  const run = async (share: number, rounds: number): Promise<number> => {
    const startedMs = performance.now();
    for (let round = 0; round < rounds; round += 1) {
      for (const [index, ref] of refs.entries())
        open.inputs.submitResult(
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
  await close(0);
  return [
    {
      name: "results through loop, journal and read model",
      rate: steady,
      unit: "results/s",
      note: `${refs.length} objects, 1 % changes`,
    },
    {
      name: "the same with many changes",
      rate: stormy,
      unit: "results/s",
      note: "every second result a change",
      against: "results through loop, journal and read model",
    },
  ];
}
