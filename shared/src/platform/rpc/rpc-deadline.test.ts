import assert from "node:assert/strict";
import { test } from "node:test";
import { deadlineLeftMs, malformedDeadline } from "./rpc-deadline.ts";

const server = { instance: "one", clock: { now: () => 1_795_000_000_000, monotonic: () => 60_000 } };

for (const [what, header, leftMs] of [
  ["no deadline", {}, Number.POSITIVE_INFINITY],
  ["its uptime", { "x-realmwatch-instance": "one", "x-realmwatch-deadline-uptime": "65000" }, 5_000],
  ["a passed uptime", { "x-realmwatch-instance": "one", "x-realmwatch-deadline-uptime": "59000" }, -1_000],
  ["the uptime of another process", { "x-realmwatch-instance": "two", "x-realmwatch-deadline-uptime": "1" }, Infinity],
  ["an uptime of no process", { "x-realmwatch-deadline-uptime": "1" }, Number.POSITIVE_INFINITY],
  ["its wall clock", { "x-realmwatch-deadline": "1795000003000" }, 3_000],
  [
    "the earlier one of both",
    {
      "x-realmwatch-instance": "one",
      "x-realmwatch-deadline-uptime": "61000",
      "x-realmwatch-deadline": "1795000003000",
    },
    1_000,
  ],
] as const)
  test(`[FD25] time left with ${what}`, () => assert.equal(deadlineLeftMs(new Headers(header), server), leftMs));

test("[FD25] a deadline that is not a number of ms is malformed", () => {
  for (const name of ["x-realmwatch-deadline", "x-realmwatch-deadline-uptime"]) {
    assert.equal(malformedDeadline(new Headers({ [name]: "soon" })), name);
    assert.equal(malformedDeadline(new Headers({ [name]: "1" })), undefined);
  }
});
