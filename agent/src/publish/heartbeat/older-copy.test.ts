import assert from "node:assert/strict";
import { test } from "node:test";
import type { SequenceNumbers } from "./heartbeat-answer.ts";
import { type OlderCopy, openOlderCopyDetection } from "./older-copy.ts";

const log = { error() {} };
const at = (history: number, command: number): SequenceNumbers => ({ history, command });

type Case = { readonly start: SequenceNumbers; readonly now?: SequenceNumbers; readonly seen: SequenceNumbers };

const rows: readonly (readonly [rule: string, given: Case, detected: boolean])[] = [
  ["equal numbers are those of this journal", { start: at(9, 4), seen: at(9, 4) }, false],
  ["an aggregator that knows less shows no loss", { start: at(9, 4), seen: at(0, 0) }, false],
  ["newer history shows an older copy", { start: at(9, 4), seen: at(10, 4) }, true],
  ["a newer command alone does too", { start: at(9, 4), seen: at(9, 5) }, true],
  ["an empty directory is an older copy", { start: at(0, 0), seen: at(9, 4) }, true],
  ["records since the start hide no loss", { start: at(9, 4), seen: at(10, 4) }, true],
  ["what this process has published is its own", { start: at(9, 4), now: at(12, 6), seen: at(12, 6) }, false],
  ["a number above 2^53 is ignored", { start: at(9, 4), seen: at(2 ** 60, 4) }, false],
];
for (const [rule, { start, now, seen }, detected] of rows)
  test(`[FD83] ${rule}`, () => {
    const copies: OlderCopy[] = [];
    const detection = openOlderCopyDetection({
      ...{ realm: "r", log, atStart: start, hasPublished: () => now !== undefined },
      events: { lastSeq: () => now?.history ?? start.history + 5, advanced() {} },
      lastCommandSeq: () => now?.command ?? start.command + 5,
      async onOlderCopy(copy) {
        copies.push(copy);
        return { ok: true, value: { lastHistorySeq: 0 } };
      },
    });
    detection.compare(seen);
    detection.compare(seen);
    assert.deepEqual(copies, detected ? [{ own: start, seen }] : [], "once at a time");
  });
