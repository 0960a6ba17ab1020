import { setTimeout as sleep } from "node:timers/promises";
import { compareMessages, type ExpectedMessage, formatDifference, type TimedMessage } from "./compare-notifications.ts";
import { formatDelivered } from "./format-delivery.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";

/** Longest time to wait for a late message, ms. It ends a test that hangs and is not a performance requirement. */
const maxDelayMs = 60_000;

/** Point in time at which all scenarios of an agent wait for one action, such as a restart. */
export type Barrier = { readonly atS: number; arrive(): Promise<void> };

type TimedAction = { readonly atS: number; run(): Promise<void> | void };

/**
 * Runs a scenario. Rejects with all messages when one is missing or unexpected. Each action waits until the messages
 * expected before it have arrived, so that a slow machine delays a scenario and does not change its order.
 */
export async function runScenario(
  { steps }: Scenario,
  context: ScenarioContext,
  barriers: readonly Barrier[] = [],
): Promise<void> {
  const startMs = performance.now();
  let shiftMs = 0;
  const expected: ExpectedMessage[] = steps.flatMap((step) =>
    step.kind === "expect" ? [{ ...step.span, message: step.message }] : [],
  );
  const actions = steps.flatMap((step): TimedAction[] =>
    step.kind === "at" ? [{ atS: step.atS, run: () => step.action(context) }] : [],
  );
  const pauses = barriers.map(({ atS, arrive }): TimedAction => ({ atS, run: arrive }));
  const received = (): TimedMessage[] => messagesOf(context, startMs);
  const waitUntil = async (atS: number): Promise<void> => {
    const due = expected.filter(({ toS }) => toS <= atS);
    const limitMs = startMs + shiftMs + atS * 1_000 + maxDelayMs;
    while (compareMessages(due, received()).missing.length > 0) {
      if (performance.now() > limitMs)
        throw new Error(formatDifference(compareMessages(expected, received()), received()));
      await sleep(20);
    }
    await sleep(Math.max(0, startMs + shiftMs + atS * 1_000 - performance.now()));
    shiftMs = Math.max(shiftMs, performance.now() - startMs - atS * 1_000);
  };

  for (const { atS, run } of [...actions, ...pauses].sort((one, other) => one.atS - other.atS)) {
    await waitUntil(atS);
    await run();
  }
  await waitUntil(endOf(steps));
  const result = compareMessages(expected, received());
  if (result.unexpected.length > 0) throw new Error(formatDifference(result, received()));
}

const endOf = (steps: Scenario["steps"]): number =>
  Math.max(0, ...steps.map((step) => (step.kind === "at" ? step.atS : step.span.toS)));

function messagesOf({ receiver, fullName }: ScenarioContext, startMs: number): TimedMessage[] {
  const prefix = fullName("");
  return receiver.delivered
    .filter(({ contact }) => contact.startsWith(prefix))
    .map((message) => ({ atS: (message.atMs - startMs) / 1_000, message: formatDelivered(message, prefix) }));
}
