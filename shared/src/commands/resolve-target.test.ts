import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { type ObjectRef, TargetSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { keyOf } from "../model/object-key.ts";
import { objectKeyToProto } from "../wire/fields/object-ref.ts";
import type { CommandObject, CommandRealm } from "./command-realm.ts";
import { parseTargeted } from "./resolve-target.ts";

const records = new Map(["web1", "web1!http"].map((ref) => [ref, { plan: { ref } } as CommandObject]));
const realm = { records, recordsMatching: () => [] } as Partial<CommandRealm> as CommandRealm;
const targetOf = (refs: readonly string[], skipMissing = false) =>
  create(TargetSchema, {
    target: { case: "objects", value: { objects: refs.map((ref) => objectKeyToProto(keyOf(ref))), skipMissing } },
  });
const listOf = (...refs: readonly string[]) => targetOf(refs);
const outcomeOf = (target: ReturnType<typeof listOf>): unknown => {
  const refs = parseTargeted(realm, target, (all) => all);
  return refs.ok ? refs.value : refs.error;
};

test("[CM1] a list of objects is each of them once, and is refused as a whole when one does not exist", () => {
  assert.deepEqual(outcomeOf(listOf("web1!http", "web1", "web1!http")), ["web1!http", "web1"]);
  const unknown = outcomeOf(listOf("web1", "web2")) as { kind: string; what: string };
  assert.deepEqual([unknown.kind, unknown.what.includes("target.objects[1]")], ["missing", true]);
  assert.deepEqual(outcomeOf(listOf()), { kind: "malformed", field: "target.objects", why: "is empty" });
  const tooMany = Array.from({ length: 10_001 }, () => objectKeyToProto(keyOf("web1"))) as ObjectRef[];
  const refusal = outcomeOf(create(TargetSchema, { target: { case: "objects", value: { objects: tooMany } } }));
  assert.equal((refusal as { kind: string }).kind, "malformed");
});

test("[CM1] a list with skip_missing is the objects that exist, and is refused when none does", () => {
  assert.deepEqual(outcomeOf(targetOf(["web2", "web1", "gone!http"], true)), ["web1"]);
  const none = outcomeOf(targetOf(["web2", "web3"], true)) as { kind: string; what: string };
  assert.deepEqual([none.kind, none.what.includes("target.objects[0]")], ["missing", true]);
});

test("a selector that matches no object is refused with its field and text", () => {
  const target = create(TargetSchema, { target: { case: "selector", value: "app=none" } });
  assert.deepEqual(outcomeOf(target), { kind: "unmatched", field: "target.selector", selector: "app=none" });
});
