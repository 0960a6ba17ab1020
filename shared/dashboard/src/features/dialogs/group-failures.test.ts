import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { statusItemOf } from "../../api/status/status-item.ts";
import { groupFailures } from "./group-failures.ts";

const failure = (realm: string, name: string, message: string) => {
  const item = statusItemOf(create(StatusRowSchema, { realm, object: { ref: { case: "host", value: { name } } } }));
  assert.ok(item);
  return { item, error: new ConnectError(message, Code.Unavailable) };
};

test("failures are one line for each realm and reason, the largest group first", () => {
  const failed = [failure("dub", "a", "away"), failure("fra", "a", "away"), failure("fra", "b", "away")];
  assert.deepEqual(
    groupFailures([...failed, failure("fra", "c", "disk full")]).map(({ realm, code, message, items }) => [
      realm,
      code,
      message,
      items.length,
    ]),
    [
      ["fra", "unavailable", "away", 2],
      ["dub", "unavailable", "away", 1],
      ["fra", "unavailable", "disk full", 1],
    ],
  );
});
