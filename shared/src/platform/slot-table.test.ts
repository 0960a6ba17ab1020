import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { SlotTable } from "./slot-table.ts";

test("the table holds the items that were added and not removed", () => {
  const steps = fc.array(fc.oneof(fc.constant("add" as const), fc.constant("all" as const), fc.nat({ max: 20 })), {
    maxLength: 200,
  });
  fc.assert(
    fc.property(steps, (all) => {
      const slots = new SlotTable<{ readonly n: number }>();
      const model = new Map<number, { readonly n: number }>();
      all.forEach((step, n) => {
        if (step === "add") {
          const item = { n };
          const slot = slots.add(item);
          assert.equal(model.has(slot), false, "a slot holds one item");
          model.set(slot, item);
        } else if (step === "all") {
          assert.deepEqual(new Set(slots.removeAll()), new Set(model.values()));
          model.clear();
        } else {
          assert.equal(slots.remove(step), model.get(step));
          model.delete(step);
        }
        assert.equal(slots.size, model.size);
        assert.deepEqual(new Set(slots), new Set(model.values()));
      });
    }),
  );
});

test("a freed slot is used again, so the table never has more slots than items held at once", () => {
  const slots = new SlotTable<object>();
  const [one, two] = [slots.add({}), slots.add({})];
  slots.remove(one);
  slots.remove(one);
  assert.deepEqual([slots.add({}), slots.add({})], [one, 2]);
  assert.equal(two, 1);
});
