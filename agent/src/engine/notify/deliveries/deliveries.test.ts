import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectState } from "../../state/object-state.ts";
import { escalationLevel, type NotificationScenario, notificationScenario } from "../scenario.fixture.ts";
import { queueDeliveries, recordDeliveryEnd, recordFailedAttempt } from "./deliveries.ts";

const lines = ({ notificationState }: ObjectState): readonly string[] =>
  (notificationState?.deliveries ?? []).map(({ contact, kind, state, sinceMs, attempts, error }) =>
    [contact, kind, state, sinceMs, attempts, error].join(" ").trim(),
  );
const decisionOf = (s: NotificationScenario): string => s.state.notificationState?.deliveries.at(-1)?.decisionId ?? "";

test("[NO23] a delivery is queued, fails, and is delivered or given up; attempts are counted", () => {
  const s = notificationScenario({ levels: [escalationLevel("ann bea")] });
  s.hard(2, "critical");
  assert.deepEqual(lines(s.state), ["ann PROBLEM queued 120000 0", "bea PROBLEM queued 120000 0"]);
  const key = { contact: "ann", decisionId: decisionOf(s) };
  const failing = recordFailedAttempt(
    recordFailedAttempt(s.state, key, { error: "refused", atMs: 121_000 }),
    ...([key, { error: "timeout", atMs: 125_000 }] as const),
  );
  assert.deepEqual(lines(failing), ["ann PROBLEM failing 121000 2 timeout", "bea PROBLEM queued 120000 0"]);
  const end = (outcome: "delivered" | "failed" | "cancelled", detail: string) =>
    lines(recordDeliveryEnd(failing, key, { outcome, detail, attempted: true, atMs: 130_000 }))[0];
  assert.equal(end("delivered", ""), "ann PROBLEM delivered 130000 3 timeout");
  assert.equal(end("failed", "404"), "ann PROBLEM gave_up 130000 3 404");
  assert.equal(end("cancelled", ""), "bea PROBLEM queued 120000 0");
  const removed = recordDeliveryEnd(failing, key, {
    ...{ outcome: "failed", detail: "gone" },
    attempted: false,
    atMs: 1,
  });
  assert.equal(lines(removed)[0], "ann PROBLEM gave_up 1 2 gone");
});

test("[NO23] what is reported of an earlier decision changes nothing of a later one", () => {
  const s = notificationScenario({});
  s.hard(2, "critical");
  const key = { contact: "ann", decisionId: decisionOf(s) };
  s.result(3, "ok");
  assert.equal(recordFailedAttempt(s.state, key, { error: "refused", atMs: 1 }), s.state);
  assert.equal(recordFailedAttempt(s.state, { contact: "ann", decisionId: "" }, { error: "", atMs: 1 }), s.state);
  assert.deepEqual(lines(s.state), ["ann RECOVERY queued 180000 0"]);
});

test("[NO23] a new decision keeps the deliveries of earlier ones to other contacts only while they are pending", () => {
  const levels = [escalationLevel("ann bea", { threshold: 1, renotifyIntervalMs: 60_000 }), escalationLevel("cat")];
  const s = notificationScenario({ levels });
  s.hard(2, "critical");
  s.advanceTo(3);
  assert.deepEqual(lines(s.state), [
    "ann PROBLEM queued 120000 0",
    "bea PROBLEM queued 120000 0",
    "cat PROBLEM queued 180000 0",
  ]);
  const [first] = s.state.notificationState?.deliveries ?? [];
  assert.ok(first !== undefined);
  const ended = [{ ...first, state: "delivered" as const }];
  assert.equal(
    queueDeliveries(ended, { contacts: ["cat"], kind: "PROBLEM", decisionId: "x", atMs: 5 })
      .map((d) => d.contact)
      .join(),
    "cat",
  );
  const many = Array.from({ length: 300 }, (_, n) => ({ ...first, contact: `c${n}` }));
  assert.equal(queueDeliveries(many, { contacts: ["cat"], kind: "PROBLEM", decisionId: "x", atMs: 5 }).length, 101);
});

test("[NO23] deliveries survive a restart", () => {
  const s = notificationScenario({});
  s.hard(2, "critical");
  const before = lines(s.state);
  s.restart();
  assert.deepEqual(lines(s.state), before);
});
