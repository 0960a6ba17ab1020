import fc from "fast-check";
import type { Acknowledgement, Comment } from "../model/annotation.ts";
import type { Downtime } from "../model/downtime.ts";
import type { NotificationDecision } from "../model/notification.ts";
import { deliveryStates, notificationKinds, notificationReasons } from "../model/notification.ts";
import { type ObjectKey, objectKinds } from "../model/object-key.ts";
import type { PerfPoint } from "../model/perfdata.ts";
import { statuses } from "../model/status.ts";
import type { Row } from "./row.ts";

/** Generators of model values for property tests, limited to values that a message carries without loss. */

const text = fc.string({ unit: "grapheme", maxLength: 12 });
const name = fc.string({ unit: "grapheme", minLength: 1, maxLength: 8 });
const flag = fc.boolean();
const count = fc.nat({ max: 1000 });
export const timestampMsArbitrary = fc.integer({ min: -62_135_596_800_000, max: 253_402_300_799_999 });
export const durationMsArbitrary = fc.integer({ min: -1e12, max: 1e12 });
const maybe = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T | undefined> => fc.option(value, { nil: undefined });
const some = <T>(value: fc.Arbitrary<T>): fc.Arbitrary<T[]> => fc.array(value, { maxLength: 3 });
const record = <T>(model: { [K in keyof T]: fc.Arbitrary<T[K]> }): fc.Arbitrary<T> =>
  fc.record<T>(model, { noNullPrototype: true }) as fc.Arbitrary<T>;

export const objectKeyArbitrary: fc.Arbitrary<ObjectKey> = fc.oneof(
  name.map((name) => ({ kind: "host" as const, name })),
  fc.tuple(name, name).map(([host, name]) => ({ kind: "service" as const, host, name })),
  name.map((name) => ({ kind: "process" as const, name })),
);

export const notificationDecisionArbitrary: fc.Arbitrary<NotificationDecision> = record({
  reason: fc.constantFrom(...notificationReasons),
  name: text,
  untilMs: maybe(timestampMsArbitrary),
});

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const perfPoint: fc.Arbitrary<PerfPoint> = record({
  label: name,
  value: maybe(finite),
  uom: text,
  warn: text,
  crit: text,
  min: maybe(finite),
  max: maybe(finite),
});

const written = { author: text, onBehalfOf: text };
const active = maybe(record({ fromMs: timestampMsArbitrary, untilMs: timestampMsArbitrary }));
const shape: fc.Arbitrary<Row["downtimes"][number]["shape"]> = fc.oneof(
  fc.constant({ kind: "fixed" as const }),
  fc
    .tuple(durationMsArbitrary, active)
    .map(([durationMs, active]) => ({ kind: "flexible" as const, durationMs, active })),
  fc.tuple(text, active).map(([triggeredBy, active]) => ({ kind: "triggered" as const, triggeredBy, active })),
  name.map((name) => ({ kind: "recurring" as const, name })),
);

export const acknowledgementArbitrary: fc.Arbitrary<Acknowledgement> = record<Acknowledgement>({
  ...written,
  comment: text,
  sticky: flag,
  atMs: timestampMsArbitrary,
  expiresAtMs: maybe(timestampMsArbitrary),
});
export const downtimeArbitrary: fc.Arbitrary<Downtime> = record<Downtime>({
  ...written,
  id: name,
  shape,
  startMs: timestampMsArbitrary,
  endMs: timestampMsArbitrary,
  comment: text,
  inEffect: flag,
  changeId: maybe(name),
});
export const commentArbitrary: fc.Arbitrary<Comment> = record<Comment>({
  ...written,
  id: name,
  text,
  atMs: timestampMsArbitrary,
});

const labelsArbitrary = fc.dictionary(fc.stringMatching(/^[a-z][a-z0-9_.-]{0,6}$/), text, {
  maxKeys: 3,
  noNullPrototype: true,
});

export const rowArbitrary: fc.Arbitrary<Row> = record<Row>({
  about: record({
    key: objectKeyArbitrary,
    labels: labelsArbitrary,
    parents: some(name),
    dependsOn: some(name),
    checkType: text,
    rule: text,
    zone: text,
    checkPeriod: text,
    notificationPeriod: text,
  }),
  realm: name,
  epoch: fc.maxSafeNat(),
  revision: fc.maxSafeNat(),
  status: fc.constantFrom(...statuses),
  stateType: fc.constantFrom("soft", "hard"),
  attempt: count,
  maxAttempts: count,
  lastHardStatus: fc.constantFrom(...statuses),
  output: text,
  longOutput: text,
  perfdata: some(perfPoint),
  lastCheckAtMs: maybe(timestampMsArbitrary),
  nextCheckAtMs: maybe(timestampMsArbitrary),
  overdueAtMs: maybe(timestampMsArbitrary),
  lastChangeAtMs: maybe(timestampMsArbitrary),
  lastHardChangeAtMs: maybe(timestampMsArbitrary),
  latencyMs: maybe(durationMsArbitrary),
  executionMs: maybe(durationMsArbitrary),
  checkSource: text,
  flapping: flag,
  flapValue: fc.double({ min: 0, max: 1, noNaN: true }),
  acknowledgement: maybe(acknowledgementArbitrary),
  downtimes: some(downtimeArbitrary),
  inDowntime: flag,
  comments: some(commentArbitrary),
  toggles: record({
    notifications: flag,
    activeChecks: flag,
    passiveChecks: flag,
    eventHandler: flag,
    flapDetection: flag,
  }),
  notification: maybe(
    record({
      level: count,
      sentAtLevel: count,
      lastAtMs: maybe(timestampMsArbitrary),
      nextAtMs: maybe(timestampMsArbitrary),
      because: maybe(notificationDecisionArbitrary),
      deliveries: some(
        record({
          contact: name,
          kind: fc.constantFrom(...notificationKinds),
          state: fc.constantFrom(...deliveryStates),
          sinceMs: timestampMsArbitrary,
          attempts: count,
          error: name,
        }),
      ),
      waitingFor: maybe(record({ contact: name, failingSinceMs: timestampMsArbitrary })),
    }),
  ),
  suppressedBy: some(name),
  suppressors: some(name),
  impact: maybe(
    record({
      counts: some(record({ kind: fc.constantFrom(...objectKinds), status: fc.constantFrom(...statuses), count })),
    }),
  ),
  cause: maybe(objectKeyArbitrary),
  handled: flag,
  truncated: flag,
});
