import assert from "node:assert/strict";
import { test } from "node:test";
import { createContextValues, type HandlerContext } from "@connectrpc/connect";
import { callerKey } from "@realmwatch/shared/api/access/caller";
import { forwardedKey, sentKey } from "./forward-for-caller.ts";

function contextOf(name: string | undefined, key?: string): HandlerContext {
  const identity = name === undefined ? undefined : ({ name, role: "operator" } as const);
  const values = createContextValues().set(callerKey, { identity, peer: "", requestId: "" });
  return { values, requestHeader: new Headers(key === undefined ? {} : { "idempotency-key": key }) } as HandlerContext;
}

test("[FD29] the keys of two authenticated callers differ in the realm; without identities a key stays as it is", () => {
  const [ann, ben] = [forwardedKey(contextOf("ann"), "k"), forwardedKey(contextOf("ben"), "k")];
  assert.notEqual(ann, ben);
  assert.equal(forwardedKey(contextOf("ann"), "k"), ann);
  assert.equal(forwardedKey(contextOf(undefined), "k"), "k");
  for (const key of [ann, forwardedKey(contextOf(undefined), "x".repeat(129))]) assert.match(key, /^[\w-]{43}$/);
});

test("[FD20] a malformed key is refused by the aggregator", () => {
  assert.equal(sentKey(contextOf(undefined)), undefined);
  assert.equal(sentKey(contextOf(undefined, "k 1")), "k 1");
  assert.throws(() => sentKey(contextOf(undefined, "")), /idempotency-key: must have 1 to 128/);
});
