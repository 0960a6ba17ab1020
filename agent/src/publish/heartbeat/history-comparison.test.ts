import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { openHistoryComparison } from "./history-comparison.ts";

/** A comparison over a journal with `lastSeq` records, all of them published. */
async function comparisonOf(lastSeq: number) {
  const clock = manualClock();
  const rewound: number[] = [];
  const journal = { lastSeq, cursor: lastSeq };
  const ready = Promise.resolve();
  const comparison = openHistoryComparison({
    ...{ realm: "r", clock, log: { warn() {} }, mayRepeat: () => true },
    events: {
      ready,
      cursor: () => journal.cursor,
      rewind: (seq) => void rewound.push(seq),
    },
  });
  await ready;
  return { clock, comparison, journal, rewound };
}

test("a number that the aggregator read before the newest records were stored repeats nothing", async () => {
  const { clock, comparison, journal, rewound } = await comparisonOf(100);
  for (let s = 0; s < 600; s += 5) {
    const oneMinuteAgo = Math.max(100, journal.lastSeq - 60 * 10);
    comparison.compare(oneMinuteAgo);
    clock.advance(5_000);
    [journal.lastSeq, journal.cursor] = [journal.lastSeq + 50, journal.cursor + 50];
  }
  assert.deepEqual(rewound, []);
});

test("lost history is repeated from the record that the stream still has, once", async () => {
  const { comparison, rewound } = await comparisonOf(100);
  comparison.compare(40);
  comparison.compare(40);
  assert.deepEqual(rewound, [40]);
});

test("records that were published after the start and lost since are repeated within 150 s", async () => {
  const { clock, comparison, journal, rewound } = await comparisonOf(100);
  [journal.lastSeq, journal.cursor] = [200, 200];
  for (let s = 0; s <= 150; s += 5) {
    comparison.compare(100);
    clock.advance(5_000);
  }
  assert.deepEqual(rewound, [100]);
});
