import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "../../model/object-key.ts";
import type { ObjectEntry } from "./object-entry.ts";
import { problemChanges } from "./problem-changes.ts";

const entryOf = (ref: string): ObjectEntry => ({
  ...{ realm: "eu", key: keyOf(ref), ref, sortKey: ref, row: undefined },
  ...{ epoch: 1, revision: 1, change: 0, placeChange: 0, cause: undefined, older: undefined, newer: undefined },
});

test("[RM27] the changes of problems are remembered up to a number, and older ones are known to be forgotten", () => {
  const changes = problemChanges(4);
  const entries = ["a", "b", "c"].map(entryOf);
  const note = (at: number, change: number): void => {
    const entry = entries[at] as ObjectEntry;
    entry.change = change;
    changes.note(entry);
  };
  const since = (change: number) => [...(changes.since(change) ?? [])].map(({ ref }) => ref);
  note(0, 1);
  note(1, 5);
  note(0, 6);
  assert.deepEqual([since(0), since(1), since(5), since(6)], [["a", "b"], ["a", "b"], ["a"], []]);
  note(2, 8);
  note(2, 9);
  assert.deepEqual([changes.since(5), since(6), since(9)], [undefined, ["c"], []]);
});
