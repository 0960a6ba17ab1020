import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { compileRealmsDocument } from "../realms/realms-document.ts";
import { openLivenessTracker } from "./liveness-tracker.ts";

function open() {
  const clock = manualClock(1_795_000_000_000);
  const messages: string[] = [];
  const log = {
    info: (_: unknown, message: string) => void messages.push(message),
    warn: (_: unknown, message: string) => void messages.push(message),
  };
  const plan = compileRealmsDocument({ realms: { fra: { description: "main" }, ams: {} } });
  assert.ok(plan.ok);
  const entry = plan.value.get("fra");
  assert.ok(entry);
  const liveness = openLivenessTracker(clock, log as never);
  const beat = (instance = "a", epoch = 1) =>
    liveness.onHeartbeat({
      ...{ realm: "fra", instance, epoch, revision: 1, sentAtMs: clock.now() + 250, uptimeMs: clock.monotonic() },
      ...{
        version: "dev",
        previousInstance: "",
        isLeaving: false,
        ...{ newest: { history: 0, command: 0 }, restoredCopy: "", firstEventSeq: 0 },
        claim: undefined,
        unstoredMs: 0,
        error: "",
        objects: 0,
        unpublished: [],
        catalog: undefined,
      },
    });
  return { clock, messages, plan: plan.value, entry, liveness, beat };
}

test("the reason for an unreachable realm contains the time without a heartbeat", () => {
  const { liveness, entry, beat, clock } = open();
  assert.match(liveness.unreachableReason(entry) ?? "", /never sent a heartbeat/);
  beat();
  assert.equal(liveness.unreachableReason(entry), undefined);
  clock.advance(75_000);
  assert.equal(liveness.unreachableReason(entry), "is unreachable: no heartbeat for 1m15s");
});

test("becoming reachable and unreachable is logged once each, at the time it happens", () => {
  const { liveness, plan, beat, clock, messages } = open();
  const stop = liveness.logChanges(() => plan);
  clock.advance(10);
  assert.deepEqual(messages, [], "no change");
  beat();
  clock.advance(1_000);
  assert.deepEqual(messages, ["realm is reachable"]);
  clock.advance(15_000);
  assert.deepEqual(messages, ["realm is reachable", "realm is unreachable"]);
  clock.advance(60_000);
  stop();
  assert.equal(messages.length, 2);
});
