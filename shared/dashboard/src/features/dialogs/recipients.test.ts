import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { statusItemOf } from "../../api/status/status-item.ts";
import { countMessages, countUnnamed, recipientsOf } from "./recipients.ts";

type Progress = { readonly level?: number; readonly sentAtLevel?: number; readonly because?: { reason: string } };

const problem = (name: string, contacts: readonly string[], progress: Progress = {}) => {
  const row = create(StatusRowSchema, {
    object: { ref: { case: "host", value: { name } } },
    notification: { ...progress, deliveries: contacts.map((contact) => ({ contact })) },
  });
  const item = statusItemOf(row);
  assert.ok(item);
  return item;
};

test("each contact of the last notifications receives one message a problem", () => {
  const recipients = recipientsOf([problem("a", ["desk"]), problem("b", ["desk", "duty", "desk"]), problem("c", [])]);
  assert.deepEqual(recipients, [
    { contact: "desk", messages: 2 },
    { contact: "duty", messages: 1 },
  ]);
  assert.equal(countMessages(recipients), 3);
});

test("[DB124] a level that has sent nothing has no known contacts: before the first notification, and after an escalation", () => {
  const targets = [
    problem("a", ["desk"], { level: 1, sentAtLevel: 1 }),
    problem("b", ["desk"], { level: 1, sentAtLevel: 0 }),
    problem("c", []),
    problem("d", [], { because: { reason: "no_policy" } }),
  ];
  assert.deepEqual(recipientsOf(targets), [{ contact: "desk", messages: 1 }]);
  assert.equal(countUnnamed(targets), 2);
});
