import assert from "node:assert/strict";
import { test } from "node:test";
import { delayAfterHeartbeat, noHeartbeatDelay } from "./heartbeat-delay.ts";

type Times = readonly [sentMs: number | undefined, uptimeMs: number | undefined, receivedMs: number];

/** Delays of heartbeats that were sent and received at these times, ms, rounded to 1 ms; each is shorter by the drift that is allowed. */
function delaysOf(heartbeats: readonly Times[]): number[] {
  let state = noHeartbeatDelay;
  return heartbeats.map(([sentMs, uptimeMs, receivedMs]) => {
    state = delayAfterHeartbeat(state, { sentMs, uptimeMs, receivedMs });
    return Math.round(state.delayMs);
  });
}

/** Times of heartbeats of an agent whose clocks are right, from what was sent and received, ms since its start. */
const sentAndReceived = (...times: readonly (readonly [sentMs: number, receivedMs: number])[]): Times[] =>
  times.map(([sentMs, receivedMs]) => [started + sentMs, sentMs, receivedMs]);

const started = 1_000_000;
const cases: readonly [name: string, readonly Times[], readonly number[]][] = [
  ["heartbeats at once have none", sentAndReceived([0, 10], [5_000, 5_010], [10_000, 10_030]), [0, 0, 19]],
  [
    "heartbeats that a link held back have that of their wait",
    sentAndReceived([0, 10], [5_000, 15_010], [10_000, 15_011], [15_000, 15_012], [20_000, 20_010]),
    [0, 9_999, 4_999, 0, 0],
  ],
  [
    "heartbeats of a link that is slower and slower are later and later",
    sentAndReceived([0, 10], [2_000, 2_510], [4_000, 5_010], [6_000, 7_510], [8_000, 10_010]),
    [0, 500, 1_000, 1_499, 1_999],
  ],
  [
    "heartbeats of a link with another latency keep it",
    sentAndReceived([0, 10], [5_000, 11_010], [10_000, 16_010], [15_000, 15_010 + 6_000]),
    [0, 5_999, 5_998, 5_998],
  ],
  ["clocks of different speeds cause none", sentAndReceived([0, 10], [100_000_000, 100_009_000]), [0, 0]],
  [
    "a first heartbeat that was late says nothing of the next",
    sentAndReceived([0, 9_000], [5_000, 5_010 + 5_000]),
    [0, 0],
  ],
  [
    "a wall clock that was set back causes none",
    [
      [started, 0, 10],
      [500, 5_000, 5_010],
      [5_500, 10_000, 10_010],
      [10_500, 15_000, 18_010],
    ],
    [0, 0, 0, 2_999],
  ],
  [
    "a wall clock that was set forward causes none",
    [
      [started, 0, 10],
      [started + 60_000, 5_000, 5_010],
      [started + 65_000, 10_000, 13_010],
    ],
    [0, 0, 2_999],
  ],
  [
    "a machine that was suspended causes none",
    [
      [started, 0, 10],
      [started + 3_600_000, 5_000, 3_600_010],
      [started + 3_605_000, 10_000, 3_608_010],
    ],
    [0, 0, 2_999],
  ],
  [
    "without both clocks none is known",
    [
      [started, 0, 10],
      [undefined, 5_000, 9_000],
      [started + 10_000, undefined, 19_000],
    ],
    [0, 0, 0],
  ],
];
for (const [name, heartbeats, delays] of cases)
  test(`[FD55] delay of heartbeats: ${name}`, () => assert.deepEqual(delaysOf(heartbeats), delays));
