import assert from "node:assert/strict";
import { test } from "node:test";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { ExecuteRequestSchema, RealmCommandService } from "@realmwatch/proto/svc/v1/realm_pb";

const named = (names: readonly { readonly localName: string }[]): readonly string[] =>
  names.map(({ localName }) => localName).sort();
const withTarget = CommandService.methods.filter(({ input }) => input.field["target"] !== undefined);

test("an aggregator forwards every command", () => {
  assert.deepEqual(named(RealmCommandService.methods), named(CommandService.methods));
});

test("[CM2] every command with a target, but for a comment, may be sent for a selection in all realms", () => {
  const bulk = ExecuteRequestSchema.oneofs.flatMap(({ fields }) => fields);
  assert.deepEqual(named(bulk), named(withTarget.filter(({ localName }) => localName !== "addComment")));
});
