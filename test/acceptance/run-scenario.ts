import { setTimeout as sleep } from "node:timers/promises";
import { type ReceivedMessage, compareMessages, formatDifference, type ExpectedMessage } from "./compare-notifications.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";
import { formatDelivered } from "./format-delivery.ts";

/** How late a message may be on a machine that is busy, ms: a limit for a hang, no speed to meet. */
const patienceMs = 15_000;

/** Something that happens to all scenarios of an agent at once. */
export type Barrier = { readonly atS: number; arrive(): Promise<void> };

type TimedAction = { readonly atS: number; run(): Promise<void> | void };

/**
 * Plays a scenario and rejects with its whole story where it went otherwise. The time line stands still until what was
 * wanted before an act has come, so that a slow machine stretches a scenario and does not change it.
 */
export async function runScenario({ steps }: Scenario, stage: ScenarioContext, breaks: readonly Barrier[] = []): Promise<void> {
  const startMs = performance.now();
  let shiftMs = 0;
  const wanted: ExpectedMessage[] = steps.flatMap((step) =>
    step.kind === "want" ? [{ ...step.span, message: step.message }] : [],
  );
  const acts = steps.flatMap((step): TimedAction[] =>
    step.kind === "at" ? [{ atS: step.atS, run: () => step.act(stage) }] : [],
  );
  const pauses = breaks.map(({ atS, arrive }): TimedAction => ({ atS, run: arrive }));
  const came = (): ReceivedMessage[] => cameTo(stage, startMs);
  const reach = async (atS: number): Promise<void> => {
    const due = wanted.filter(({ toS }) => toS <= atS);
    const limitMs = startMs + shiftMs + atS * 1_000 + patienceMs;
    while (compareMessages(due, came()).missing.length > 0) {
      if (performance.now() > limitMs) throw new Error(formatDifference(compareMessages(wanted, came()), came()));
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
  const result = compareMessages(wanted, came());
  if (result.unexpected.length > 0) throw new Error(formatDifference(result, came()));
}

const endOf = (steps: Scenario["steps"]): number =>
  Math.max(0, ...steps.map((step) => (step.kind === "at" ? step.atS : step.span.toS)));

function cameTo({ receiver, fullName }: ScenarioContext, startMs: number): ReceivedMessage[] {
  const prefix = fullName("");
  return receiver.delivered
    .filter(({ contact }) => contact.startsWith(prefix))
    .map((arrival) => ({ atS: (arrival.atMs - startMs) / 1_000, message: formatDelivered(arrival, prefix) }));
}
