import assert from "node:assert/strict";
import { test } from "node:test";
import { delivered, retry } from "../../platform/outbound/delivery-result.ts";
import { notificationLog } from "./notification-log.ts";

test("the log reports once when deliveries to a contact begin to fail and once when they succeed again", () => {
  const lines: string[] = [];
  const write = (level: string) => (fields: { contact?: string; detail?: string }, text: string) =>
    void lines.push([level, fields.contact, text, fields.detail ?? ""].join(" | "));
  const log = { info: write("info"), warn: write("warn") } as unknown as Parameters<typeof notificationLog>[0];
  const logged = notificationLog(log);
  const ann = { contact: "ann", type: "webhook" } as const;
  for (const attempt of [
    delivered,
    retry("server", "answered 500"),
    retry("server", "answered 500"),
    delivered,
    delivered,
  ])
    logged.attempted(ann, attempt);
  assert.deepEqual(lines, [
    "warn | ann | the delivery to the contact failed | answered 500",
    "info | ann | deliveries to the contact succeed again | ",
  ]);
});
