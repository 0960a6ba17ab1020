import assert from "node:assert/strict";
import { test } from "node:test";
import { type ReceivedMessage, compareMessages, type ExpectedMessage } from "./compare-notifications.ts";

const wish = (fromS: number, toS: number, message: string): ExpectedMessage => ({ fromS, toS, message });
const came = (atS: number, message: string): ReceivedMessage => ({ atS, message });

test("a wish is fulfilled by what says at least as much, from its time on", () => {
  const { missing, unexpected } = compareMessages(
    [wish(0, 1, "ann PROBLEM CRITICAL db"), wish(2, 3, "ann RECOVERY OK db level 0")],
    [came(0.3, "ann PROBLEM CRITICAL db level 0 number 1"), came(2.2, "ann RECOVERY OK db level 0 number 1")],
  );
  assert.deepEqual([missing, unexpected], [[], []]);
});

test("what nobody wanted is found, and so is what comes twice, too early, or for another object", () => {
  const wanted = [wish(1, 2, "ann PROBLEM CRITICAL db")];
  const twice = [came(1.1, "ann PROBLEM CRITICAL db level 0"), came(1.2, "ann PROBLEM CRITICAL db level 0")];
  assert.deepEqual(compareMessages(wanted, twice).unexpected, twice.slice(1));
  for (const one of [came(0.5, "ann PROBLEM CRITICAL db"), came(1.5, "ann PROBLEM CRITICAL db2")])
    assert.deepEqual(compareMessages(wanted, [one]), { missing: wanted, unexpected: [one] });
});

test("what one contact is told has its order, others do not wait for it", () => {
  const wanted = [wish(0, 1, "ann PROBLEM CRITICAL db"), wish(0.5, 1, "ann RECOVERY OK db")];
  const swapped = [came(0.6, "ann RECOVERY OK db"), came(0.7, "ann PROBLEM CRITICAL db")];
  assert.deepEqual(compareMessages(wanted, swapped).missing, wanted.slice(1));
  const both = [wish(0, 1, "ann PROBLEM CRITICAL db"), wish(0, 1, "bea PROBLEM CRITICAL db")];
  assert.deepEqual(compareMessages(both, [came(0.6, "bea PROBLEM CRITICAL db"), came(0.7, "ann PROBLEM CRITICAL db")]), {
    missing: [],
    unexpected: [],
  });
});
