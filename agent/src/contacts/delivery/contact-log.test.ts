import assert from "node:assert/strict";
import { test } from "node:test";
import { delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { problemNotification } from "../notification.fixture.ts";
import { contactLog } from "./contact-log.ts";
import { combineDeliveryHooks } from "./delivery-hooks.ts";

test("the log reports once when deliveries to a contact begin to fail and once when they succeed again", () => {
  const lines: string[] = [];
  const write = (level: string) => (fields: { contact?: string; detail?: string }, text: string) =>
    void lines.push([level, fields.contact, text, fields.detail ?? ""].join(" | "));
  const log = { info: write("info"), warn: write("warn") } as unknown as Parameters<typeof contactLog>[0];
  const hooks = combineDeliveryHooks(contactLog(log));
  const ann = { contact: "ann", type: "webhook" } as const;
  for (const attempt of [
    delivered,
    retry("server", "answered 500"),
    retry("server", "answered 500"),
    delivered,
    delivered,
  ])
    hooks.attempted(ann, attempt, 1);
  const notification = problemNotification({ id: "1", contact: "ann", key: { kind: "host", name: "web1" } });
  hooks.ended(ann, { notification, outcome: "delivered", detail: "", attempted: true }, 1);
  assert.deepEqual(lines, [
    "warn | ann | the delivery to the contact failed | answered 500",
    "info | ann | deliveries to the contact succeed again | ",
  ]);
});
