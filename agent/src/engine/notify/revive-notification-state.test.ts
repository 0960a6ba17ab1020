import assert from "node:assert/strict";
import { test } from "node:test";
import { deliveryStates, type NotificationDecision } from "@realmwatch/shared/model/notification";
import type { ProblemStatus } from "@realmwatch/shared/model/status";
import fc from "fast-check";
import { newState, reviveState } from "../state/object-state.ts";
import { flatten } from "./flat-notification-state.fixture.ts";
import type {
  DeferredNotification,
  FlappingNotification,
  NotificationState,
  StateNotificationKind,
} from "./notification-state.ts";
import { type FlatNotificationState, reviveNotificationState } from "./revive-notification-state.ts";

const json = (value: unknown): unknown => JSON.parse(JSON.stringify(value));

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

/** Every flat state that earlier versions could store. The fields of a problem go with an open, announced one. */
const flatStates: fc.Arbitrary<FlatNotificationState> = fc
  .record({
    ...{ open: fc.boolean(), isAnnounced: fc.boolean(), problemSinceMs: ms, announced: problemStatus, told: notified },
    ...{ countedFromMs: ms, problems: fc.nat(9), messages: fc.nat(99), level: fc.nat(3), sentAtLevel: fc.nat(3) },
    ...{ number: fc.nat(9), lastAtMs: optionalMs, nextAtMs: optionalMs, deferred, hostAwaitedSinceMs: optionalMs },
    ...{ flapping: fc.constantFrom("calm" as const, "told" as const, "dropped" as const), awaitsResult: fc.boolean() },
    ...{ flappingWithheld: optionalDecision, because: optionalDecision, becauseOf: kind },
  })
  .map((all) => {
    const { open, isAnnounced, problemSinceMs, announced, told, hostAwaitedSinceMs, ...rest } = all;
    const {
      level,
      sentAtLevel,
      number,
      nextAtMs,
      because,
      becauseOf,
      deferred: waiting,
      flappingWithheld,
      ...more
    } = rest;
    const hasAnnouncement = open && isAnnounced;
    const deferredKind = open ? ("PROBLEM" as const) : ("RECOVERY" as const);
    return json({
      ...more,
      ...(open ? { problemSinceMs, told, hostAwaitedSinceMs } : { told: {} }),
      ...(hasAnnouncement
        ? { announced, level, sentAtLevel, number, nextAtMs }
        : { level: 0, sentAtLevel: 0, number: 0 }),
      deferred: open && !isAnnounced ? [] : waiting.map((each) => ({ ...each, kind: deferredKind })),
      ...(more.flapping === "dropped" ? {} : { flappingWithheld }),
      ...(because === undefined ? {} : { because, becauseOf }),
    }) as FlatNotificationState;
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

test("a flat notification state of an earlier version is restored with the same meaning, and stays so", () => {
  fc.assert(
    fc.property(flatStates, (flat) => {
      const revived = reviveNotificationState(flat);
      assert.deepEqual(json(flatten(revived)), flat);
      assert.deepEqual(reviveNotificationState(json(revived)), revived);
    }),
  );
});

test("every state has a flat form from which it is restored", () => {
  fc.assert(
    fc.property(states, (state) => {
      const revived = reviveNotificationState(json(state));
      assert.deepEqual(reviveNotificationState(json(flatten(state))), { ...revived, deliveries: [] });
    }),
  );
});

test("the state of an object in an earlier version has its notifications in `telling`", () => {
  const telling = { countedFromMs: 5, problems: 1, messages: 2, problemSinceMs: 7, announced: "critical", level: 1 };
  const { notificationState, ...rest } = reviveState(
    { ...newState(0), ...{ notificationState: undefined, telling } },
    0,
  );
  assert.ok(!("telling" in rest));
  assert.deepEqual(json(notificationState), {
    counters: { sinceMs: 5, problems: 1, notifications: 2 },
    problem: {
      ...{ kind: "open", sinceMs: 7, notified: {} },
      announcement: { status: "critical", level: 1, sentAtLevel: 0, number: 0, deferred: [] },
    },
    flapping: { kind: "none" },
    deliveries: [],
    awaitsResult: false,
  });
});
