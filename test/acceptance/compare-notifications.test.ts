import assert from "node:assert/strict";
import { test } from "node:test";
import { compareMessages, type ExpectedMessage, type TimedMessage } from "./compare-notifications.ts";

const wanted = (fromS: number, toS: number, message: string): ExpectedMessage => ({ fromS, toS, message });
const received = (atS: number, message: string): TimedMessage => ({ atS, message });

test("an expected message is matched by one that begins with it, from its time on", () => {
  const { missing, unexpected } = compareMessages(
    [wanted(0, 1, "ann PROBLEM CRITICAL db"), wanted(2, 3, "ann RECOVERY OK db level 0")],
    [received(0.3, "ann PROBLEM CRITICAL db level 0 number 1"), received(2.2, "ann RECOVERY OK db level 0 number 1")],
  );
  assert.deepEqual([missing, unexpected], [[], []]);
});

test("an unexpected message is found: without expectation, twice, too early, or of another object", () => {
  const expected = [wanted(1, 2, "ann PROBLEM CRITICAL db")];
  const twice = [received(1.1, "ann PROBLEM CRITICAL db level 0"), received(1.2, "ann PROBLEM CRITICAL db level 0")];
  assert.deepEqual(compareMessages(expected, twice).unexpected, twice.slice(1));
  for (const one of [received(0.5, "ann PROBLEM CRITICAL db"), received(1.5, "ann PROBLEM CRITICAL db2")])
    assert.deepEqual(compareMessages(expected, [one]), { missing: expected, unexpected: [one] });
});

test("messages to one contact have an order; other contacts do not matter for it", () => {
  const expected = [wanted(0, 1, "ann PROBLEM CRITICAL db"), wanted(0.5, 1, "ann RECOVERY OK db")];
  const swapped = [received(0.6, "ann RECOVERY OK db"), received(0.7, "ann PROBLEM CRITICAL db")];
  assert.deepEqual(compareMessages(expected, swapped).missing, expected.slice(1));
  const both = [wanted(0, 1, "ann PROBLEM CRITICAL db"), wanted(0, 1, "bea PROBLEM CRITICAL db")];
  assert.deepEqual(
    compareMessages(both, [received(0.6, "bea PROBLEM CRITICAL db"), received(0.7, "ann PROBLEM CRITICAL db")]),
    {
      missing: [],
      unexpected: [],
    },
  );
});
