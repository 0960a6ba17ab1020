import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf } from "../../model/object-key.ts";
import { rowFor } from "../read-model.fixture.ts";
import { overdueRows } from "./overdue-rows.ts";
import { RowStore } from "./row-store.ts";

type Step =
  | { readonly kind: "put"; readonly object: string; readonly realm: string; readonly overdueAtMs: number | undefined }
  | { readonly kind: "drop"; readonly object: string; readonly realm: string }
  | { readonly kind: "ask"; readonly nowMs: number };

const realm = fc.constantFrom("ams", "dub");
const object = fc.constantFrom("a", "b", "c", "d");
/** Times far enough apart that each question is a search of its own. */
const time = fc.integer({ min: 1, max: 12 }).map((n) => n * 2_000);
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ kind: fc.constant("put"), object, realm, overdueAtMs: fc.option(time, { nil: undefined }) }),
  fc.record({ kind: fc.constant("drop"), object, realm }),
  fc.record({ kind: fc.constant("ask"), nowMs: time }),
);

test("[RM20] the overdue rows are those that a pass over all rows finds, whatever changes and wherever the clock goes", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 40 }), (steps) => {
      const store = new RowStore(10);
      const overdue = overdueRows(store);
      const times = new Map<string, number | undefined>();
      let [revision, askedMs] = [0, -1];
      for (const taken of steps) {
        revision += 1;
        if (taken.kind === "ask") {
          // A question of the same instant is answered from the search before.
          if (taken.nowMs === askedMs) continue;
          askedMs = taken.nowMs;
          const expected = [...times].filter(([, at]) => at !== undefined && at <= taken.nowMs).map(([name]) => name);
          const found = [...overdue.at(taken.nowMs)].map(({ realm, key }) => `${realm}/${key.name}`);
          assert.deepEqual(found.sort(), expected.sort());
          continue;
        }
        const { realm, object } = taken;
        if (taken.kind === "put") {
          const { overdueAtMs } = taken;
          store.apply({ kind: "put", row: rowFor(realm, object, { revision, overdueAtMs }) });
          times.set(`${realm}/${object}`, overdueAtMs);
        } else {
          store.apply({ kind: "drop", realm, key: keyOf(object), epoch: 1, revision });
          times.delete(`${realm}/${object}`);
        }
      }
    }),
    { numRuns: 2_000 },
  );
});
