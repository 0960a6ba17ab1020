import assert from "node:assert/strict";
import { test } from "node:test";
import { attackPort } from "./attack-port.ts";

test("[IN4, IN5, IN6, IN7] a port under random misuse answers a client that behaves well", async (t) => {
  const result = await attackPort(t, 15);
  t.diagnostic(JSON.stringify(result));
  assert.ok(result.calls > 0 && result.attacks > 0);
});
