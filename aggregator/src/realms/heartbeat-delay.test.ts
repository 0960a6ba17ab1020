import assert from "node:assert/strict";
import { test } from "node:test";
import { delayAfterHeartbeat, noHeartbeatDelay } from "./heartbeat-delay.ts";

/** Delays of heartbeats that were sent and received at these times, ms. */
function delaysOf(heartbeats: readonly (readonly [sentMs: number | undefined, receivedMs: number])[]): number[] {
  let state = noHeartbeatDelay;
  return heartbeats.map(([sentMs, receivedMs]) => {
    state = delayAfterHeartbeat(state, { sentMs, receivedMs });
    return state.delayMs;
  });
}

const started = 1_000_000;
const cases: readonly [name: string, Parameters<typeof delaysOf>[0], readonly number[]][] = [
  [
    "heartbeats at once have none",
    [
      [started, 10],
      [started + 5_000, 5_010],
      [started + 10_000, 10_030],
    ],
    [0, 0, 0],
  ],
  [
    "heartbeats that a link held back have that of their wait",
    [
      [started, 10],
      [started + 5_000, 15_010],
      [started + 10_000, 15_011],
      [started + 15_000, 15_012],
      [started + 20_000, 20_010],
    ],
    [0, 10_000, 5_001, 2, 0],
  ],
  [
    "a sender whose clock was set back is late once",
    [
      [started, 10],
      [500, 5_010],
      [5_500, 10_010],
    ],
    [0, 999_500 + 5_000, 0],
  ],
  [
    "a sender whose clock was set forward is not late",
    [
      [started, 10],
      [started + 60_000, 5_010],
    ],
    [0, 0],
  ],
  [
    "without a time none is known",
    [
      [started, 10],
      [undefined, 9_000],
    ],
    [0, 0],
  ],
];
for (const [name, heartbeats, delays] of cases)
  test(`[FD55] delay of heartbeats: ${name}`, () => assert.deepEqual(delaysOf(heartbeats), delays));
