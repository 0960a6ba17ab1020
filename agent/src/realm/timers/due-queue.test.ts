import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { DueQueue } from "./due-queue.ts";

test("[DU18] a due queue behaves like a list that is sorted by time and id", () => {
  const operation = fc.oneof(
    fc.record({ kind: fc.constant("set" as const), id: fc.nat(20), at: fc.nat(50) }),
    fc.record({ kind: fc.constant("delete" as const), id: fc.nat(20) }),
    fc.record({ kind: fc.constant("take" as const), now: fc.nat(50) }),
  );
  fc.assert(
    fc.property(fc.array(operation, { maxLength: 200 }), (operations) => {
      const queue = new DueQueue();
      const model = new Map<string, number>();
      for (const op of operations) {
        if (op.kind === "set") {
          queue.set(`o${op.id}`, op.at);
          model.set(`o${op.id}`, op.at);
        } else if (op.kind === "delete") {
          queue.delete(`o${op.id}`);
          model.delete(`o${op.id}`);
        } else {
          const taken = queue.take(op.now);
          const least = Math.min(...model.values());
          assert.equal(taken?.at, least <= op.now ? least : undefined);
          if (taken !== undefined) {
            const tied = [...model].filter(([, at]) => at === taken.at).map(([id]) => id);
            assert.equal(taken.id, tied.toSorted()[0]);
            model.delete(taken.id);
          }
        }
        assert.equal(queue.size, model.size);
        assert.equal(queue.nextAt, Math.min(...model.values()));
      }
    }),
  );
});
