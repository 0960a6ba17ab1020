import { setTimeout as sleep } from "node:timers/promises";
import { type Came, compare, showDifference, type Wanted } from "./compare.ts";
import type { Scenario, Stage } from "./scenario.ts";
import { showArrival } from "./show-arrival.ts";

/** How late a message may be on a machine that is busy, ms: a limit for a hang, no speed to meet. */
const patienceMs = 15_000;

/** Something that happens to all scenarios of an agent at once. */
export type Break = { readonly atS: number; arrive(): Promise<void> };

type Moment = { readonly atS: number; run(): Promise<void> | void };

/**
 * Plays a scenario and rejects with its whole story where it went otherwise. The time line stands still until what was
 * wanted before an act has come, so that a slow machine stretches a scenario and does not change it.
 */
export async function play({ steps }: Scenario, stage: Stage, breaks: readonly Break[] = []): Promise<void> {
  const startMs = performance.now();
  let shiftMs = 0;
  const wanted: Wanted[] = steps.flatMap((step) =>
    step.kind === "want" ? [{ ...step.span, message: step.message }] : [],
  );
  const acts = steps.flatMap((step): Moment[] =>
    step.kind === "at" ? [{ atS: step.atS, run: () => step.act(stage) }] : [],
  );
  const pauses = breaks.map(({ atS, arrive }): Moment => ({ atS, run: arrive }));
  const came = (): Came[] => cameTo(stage, startMs);
  const reach = async (atS: number): Promise<void> => {
    const due = wanted.filter(({ toS }) => toS <= atS);
    const limitMs = startMs + shiftMs + atS * 1_000 + patienceMs;
    while (compare(due, came()).missing.length > 0) {
      if (performance.now() > limitMs) throw new Error(showDifference(compare(wanted, came()), came()));
      await sleep(20);
    }
    await sleep(Math.max(0, startMs + shiftMs + atS * 1_000 - performance.now()));
    shiftMs = Math.max(shiftMs, performance.now() - startMs - atS * 1_000);
  };

  for (const { atS, run } of [...acts, ...pauses].sort((one, other) => one.atS - other.atS)) {
    await reach(atS);
    await run();
  }
  await reach(endOf(steps));
  const result = compare(wanted, came());
  if (result.unexpected.length > 0) throw new Error(showDifference(result, came()));
}

const endOf = (steps: Scenario["steps"]): number =>
  Math.max(0, ...steps.map((step) => (step.kind === "at" ? step.atS : step.span.toS)));

function cameTo({ receiver, full }: Stage, startMs: number): Came[] {
  const prefix = full("");
  return receiver.arrivals
    .filter(({ contact }) => contact.startsWith(prefix))
    .map((arrival) => ({ atS: (arrival.atMs - startMs) / 1_000, message: showArrival(arrival, prefix) }));
}
