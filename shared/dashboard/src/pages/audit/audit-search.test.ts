import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { AuditOutcome, AuditRecordSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import { filterAudit, rpcNameOf } from "./audit-search.ts";

const records = [
  create(AuditRecordSchema, {
    rpc: "/svc.v1.CommandService/AddComment",
    principal: { name: "ann" },
    commandJson: '{"text":"on it"}',
    outcome: AuditOutcome.ACCEPTED,
  }),
  create(AuditRecordSchema, { rpc: "/svc.v1.AuthService/Login", peer: "10.0.0.7", outcome: AuditOutcome.DENIED }),
];

test("audit records are filtered by outcome, sender and all words of a text", () => {
  const found = (filter: Partial<Parameters<typeof filterAudit>[1]>) =>
    filterAudit(records, { outcome: "", who: "", call: "", text: "", ...filter }).map(rpcNameOf);
  assert.deepEqual(found({}), ["AddComment", "Login"]);
  assert.deepEqual(found({ outcome: "denied" }), ["Login"]);
  assert.deepEqual(found({ who: "ann" }), ["AddComment"]);
  assert.deepEqual(found({ call: "Login" }), ["Login"]);
  assert.deepEqual(found({ text: "COMMENT it" }), ["AddComment"]);
  assert.deepEqual(found({ text: "10.0.0.7 comment" }), []);
});
