import assert from "node:assert/strict";
import { test } from "node:test";
import { Code } from "@connectrpc/connect";
import { ConfigDiagnosticsSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import type { Refusal } from "../../model/refusal.ts";
import { toConnectError } from "./refusal-to-code.ts";

const rows: [refusal: Refusal, code: Code, message: string][] = [
  [{ kind: "malformed", field: "end", why: "is not after start" }, Code.InvalidArgument, "end: is not after start"],
  [{ kind: "missing", what: 'host "web1"' }, Code.NotFound, 'host "web1" does not exist'],
  [
    { kind: "unmatched", field: "target.selector", selector: 'app="a b"' },
    Code.NotFound,
    'target.selector: no object matches "app=\\"a b\\""',
  ],
  [{ kind: "unconfigured", why: "no default datasource" }, Code.FailedPrecondition, "no default datasource"],
  [{ kind: "exhausted", what: "the command queue is full" }, Code.ResourceExhausted, "the command queue is full"],
  [{ kind: "unavailable", what: "realm berlin is away" }, Code.Unavailable, "realm berlin is away"],
];
for (const [refusal, code, message] of rows)
  test(`a refusal of kind ${refusal.kind} becomes ${Code[code]}`, () => {
    const error = toConnectError(refusal);
    assert.deepEqual([error.code, error.rawMessage, error.details], [code, message, []]);
  });

test("a rejected document lists its problems, in the message and as a detail", () => {
  const diagnostics = [
    { message: "a", file: "config.cue", line: 1, column: 2 },
    { message: "b", file: "config.cue", line: 3, column: 4 },
  ];
  const error = toConnectError({ kind: "rejected_document", diagnostics });
  assert.deepEqual([error.code, error.rawMessage], [Code.InvalidArgument, "config.cue:1:2: a\nconfig.cue:3:4: b"]);
  assert.deepEqual(
    error.findDetails(ConfigDiagnosticsSchema)[0]?.diagnostics.map((d) => d.message),
    ["a", "b"],
  );
});
