import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { statusItemOf } from "../../api/status/status-item.ts";
import { countMessages, recipientsOf } from "./recipients.ts";

const problem = (name: string, contacts: readonly string[]) => {
  const row = create(StatusRowSchema, {
    object: { ref: { case: "host", value: { name } } },
    notification: { deliveries: contacts.map((contact) => ({ contact })) },
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
