import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { modelOperations, modelStarts, runModel } from "./model-operations.fixture.ts";
import type { ModelPair } from "./model-pair.fixture.ts";

const runs = Number(process.env["PAIR_MODEL_RUNS"] ?? 300);
const seed = process.env["PAIR_MODEL_SEED"];

/** Exactly one member serves the realm with the other in sync, or one says why an operator has to act. */
function assertWell(pair: ModelPair): void {
  const statuses = pair.machines.map((machine) => pair.statusOf(machine));
  const reasons = JSON.stringify(statuses.map((status) => [status?.role, status?.reason]));
  const { acting } = pair;
  const trace = (): string => `${reasons}\n${pair.trace.slice(-80).join("\n")}`;
  if (acting.length === 0)
    return assert.ok(
      statuses.some((status) => status?.needsPerson),
      `none is active: ${trace()}`,
    );
  assert.equal(acting.length, 1);
  assert.ok(
    statuses.every((status) => status?.inSync),
    `not in sync: ${trace()}`,
  );
}

test("[PA1-PA9] at no instant two members have the right to act, and a healed pair has one that does", () => {
  const outcomes = { served: 0, waits: 0, takeovers: 0 };
  fc.assert(
    fc.property(modelStarts, modelOperations, (start, operations) => {
      const pair = runModel(start, operations);
      assertWell(pair);
      outcomes.takeovers += pair.takeovers.length;
      if (pair.acting.length === 1) outcomes.served++;
      else outcomes.waits++;
    }),
    { numRuns: runs, interruptAfterTimeLimit: 1e9, ...(seed === undefined ? {} : { seed: Number(seed) }) },
  );
  if (process.env["PAIR_MODEL_RUNS"]) process.stdout.write(`${JSON.stringify(outcomes)}\n`);
});
