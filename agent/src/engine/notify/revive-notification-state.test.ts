import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryStates, type NotificationDecision } from "@realmwatch/shared/model/notification";
import type { ProblemStatus } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import type {
  DeferredNotification,
  FlappingNotification,
  NotificationState,
  StateNotificationKind,
} from "./notification-state.ts";
import { reviveNotificationState } from "./revive-notification-state.ts";

const json = (state: NotificationState): NotificationState => JSON.parse(JSON.stringify(state));

const ms = fc.nat(1e9);
const optionalMs = fc.option(ms, { nil: undefined });
const problemStatus = fc.constantFrom<ProblemStatus>("warning", "critical", "unknown", "unreachable");
const contact = fc.constantFrom("ann", "bea", "cat");
const decision: fc.Arbitrary<NotificationDecision> = fc.record({
  reason: fc.constantFrom("decided", "downtime", "flapping", "host_check_awaited"),
  name: fc.constantFrom("", "d1"),
  untilMs: optionalMs,
});
const optionalDecision = fc.option(decision, { nil: undefined });
const lastNotification = fc.record({ status: problemStatus, level: fc.nat(3) });
const notified = fc.dictionary(contact, lastNotification, { noNullPrototype: true });
const deferred: fc.Arbitrary<DeferredNotification[]> = fc.array(
  fc.record({ contact, level: fc.nat(3), status: problemStatus }),
  { maxLength: 3 },
);
const kind = fc.constantFrom<StateNotificationKind>("PROBLEM", "STATUS_CHANGE", "RECOVERY");

const states: fc.Arbitrary<NotificationState> = fc.record({
  counters: fc.record({ sinceMs: ms, problems: fc.nat(9), notifications: fc.nat(99) }),
  problem: fc.oneof(
    fc.record({ kind: fc.constant("closed" as const), deferredRecoveries: deferred }),
    fc.record({
      kind: fc.constant("open" as const),
      sinceMs: ms,
      notified,
      hostCheckAwaitedSinceMs: optionalMs,
      announcement: fc.option(
        fc.record({
          ...{ status: problemStatus, level: fc.nat(3), sentAtLevel: fc.nat(3), number: fc.nat(9) },
          ...{ nextAtMs: optionalMs, deferred },
        }),
        { nil: undefined },
      ),
    }),
  ),
  lastAtMs: optionalMs,
  flapping: fc.oneof<fc.Arbitrary<FlappingNotification>[]>(
    fc.record({ kind: fc.constantFrom("none" as const, "notified" as const), suppressed: optionalDecision }),
    fc.constant({ kind: "dropped" as const }),
  ),
  awaitsResult: fc.boolean(),
  decision: fc.option(fc.record({ kind, decision }), { nil: undefined }),
  deliveries: fc.array(
    fc.record({
      ...{ contact, kind, state: fc.constantFrom(...deliveryStates), sinceMs: ms, attempts: fc.nat(9) },
      ...{ error: fc.string(), decisionId: fc.string() },
    }),
    { maxLength: 3 },
  ),
});

test("a notification state is the same after it was stored as JSON and restored", () => {
  fc.assert(
    fc.property(states, (state) => {
      const revived = reviveNotificationState(json(state));
      assert.deepEqual(json(revived), json(state));
      assert.deepEqual(reviveNotificationState(json(revived)), revived);
    }),
  );
});
