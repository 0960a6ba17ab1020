import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { commandKinds } from "@realmwatch/shared/commands/commands";
import { plainMessage } from "./plain-message.ts";

test("the copy of each command's message has all fields and no name of a type", () => {
  for (const { method } of Object.values(commandKinds)) {
    const message = create(CommandService.method[method].input);
    const { $typeName, ...fields } = message as Record<string, unknown>;
    assert.ok($typeName);
    assert.deepEqual(Object.keys(plainMessage(message)).sort(), Object.keys(fields).sort());
  }
  const nested = {
    $typeName: "a",
    at: { $typeName: "b", seconds: 1n },
    list: [{ $typeName: "c", data: new Uint8Array(2) }],
  };
  assert.deepEqual(plainMessage(nested), { at: { seconds: 1n }, list: [{ data: new Uint8Array(2) }] });
});
