import assert from "node:assert/strict";
import { test } from "node:test";
import type { HostPlan } from "@realmwatch/shared/config/plan";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { outcome } from "@realmwatch/shared/model/outcome";
import type { CheckResult } from "../../engine/input.ts";
import type { RealmReader } from "../state/realm-reader.ts";
import type { RunCheck, TimedOutcome } from "./check-starter.ts";
import { checkStarter } from "./check-starter.ts";

const hostIn = (zone: string): HostPlan =>
  ({
    ref: "web1",
    key: { kind: "host", name: "web1" },
    address: "192.0.2.1",
    about: { zone },
    check: { type: "tcp" },
  }) as HostPlan;

type Timing = { readonly latencyMs: number; readonly executionMs: number };

/** Starts one check and returns the submitted result and the measured times. */
async function startCheck(plan: HostPlan, more: { run?: RunCheck; runElsewhere?: RunCheck; known?: boolean }) {
  const records = new Map(more.known === false ? [] : [[plan.ref, { plan }]]);
  const measured: Timing[] = [];
  const result = await new Promise<CheckResult>((resolve) => {
    const start = checkStarter({
      clock: manualClock(1_000_000),
      realm: { records } as unknown as RealmReader,
      run: more.run ?? (() => assert.fail("must not run here")),
      zones: new Set(["default", "lab"]),
      runElsewhere: more.runElsewhere,
      source: "fra",
      submitResult: (_ref, given) => resolve(given),
      ended: (_type, _outcome, timing) => void measured.push(timing),
    });
    start(plan, 40, () => {});
  });
  return { result, measured };
}

const fine: TimedOutcome = { ...outcome("ok", "fine"), executionMs: 12 };

test("[ZO1] a check in a local zone runs here, with the agent as its source", async () => {
  const { result, measured } = await startCheck(hostIn("lab"), { run: async () => fine });
  assert.deepEqual(
    [result.source, result.executedAtMs, result.latencyMs, result.executionMs],
    ["fra", 1_000_000, 40, 12],
  );
  assert.deepEqual(measured, [{ latencyMs: 40, executionMs: 12 }]);
});

test("[ZO1] a check in another zone has the worker as its source, and its waiting time is part of the latency", async () => {
  const { result, measured } = await startCheck(hostIn("dmz"), {
    runElsewhere: async () => ({ ...fine, source: "box:1", waitedMs: 200.5 }),
  });
  assert.deepEqual([result.source, result.executedAtMs, result.latencyMs], ["box:1", 1_000_200, 240.5]);
  assert.deepEqual(measured, [{ latencyMs: 240.5, executionMs: 12 }]);
  assert.ok(!("waitedMs" in result));
});

test("[ZO1] without NATS a check in another zone is UNKNOWN, with the reason as its output", async () => {
  const { result } = await startCheck(hostIn("dmz"), {});
  assert.deepEqual(
    [result.status, result.output],
    ["unknown", 'nothing runs the checks of zone "dmz": the agent was started without -nats-url'],
  );
});

test("[SC12] the check of a removed object still ends", async () => {
  const { result } = await startCheck(hostIn("default"), { known: false });
  assert.equal(result.output, "the object was removed");
});
