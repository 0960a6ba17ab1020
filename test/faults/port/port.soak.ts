import assert from "node:assert/strict";
import { test } from "node:test";
import { attackPort } from "./attack-port.ts";

/** Duration, s: an hour, or the environment variable `SOAK_SECONDS`. */
const seconds = Number(process.env["SOAK_SECONDS"] ?? 3_600);

test("[IN4, IN5, IN6, IN7] an hour of misuse leaves memory as it was and delays no client", async (t) => {
  const result = await attackPort(t, seconds);
  // The test runner prints no diagnostics.
  console.log(JSON.stringify(result));
  assert.ok(result.grownMb < 100, `memory has grown by ${result.grownMb} MB`);
  assert.ok(result.longestCallMs < 1_000, `a call took ${result.longestCallMs} ms`);
});
