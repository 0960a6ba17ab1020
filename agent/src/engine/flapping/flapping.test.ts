import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { type FlapState, notFlapping, updateFlap } from "./flapping.ts";

const rule = { enabled: true, alpha: 0.1, highThreshold: 0.3, lowThreshold: 0.15, notifyOnFlapStop: false };
const fold = (changes: readonly boolean[], from: FlapState = notFlapping, with_ = rule): FlapState =>
  changes.reduce((flap, changed) => updateFlap(flap, changed, with_), from);
const times = (n: number, changed: boolean): boolean[] => Array(n).fill(changed);

test("[FL1] with the defaults the fourth change in a row starts flapping", () => {
  assert.equal(fold(times(3, true)).flapping, false);
  const started = fold(times(4, true));
  assert.equal(started.flapping, true);
  assert.equal(started.value.toFixed(4), "0.3439");
});

test("[FL2] with the defaults the eighth stable result stops flapping", () => {
  const started = fold(times(4, true));
  assert.equal(fold(times(7, false), started).flapping, true);
  assert.equal(fold(times(8, false), started).flapping, false);
});

test("[FL1] with a change every third result the object flaps, with one every fourth it does not", () => {
  const pattern = (every: number): boolean[] => Array.from({ length: 200 }, (_, n) => n % every === 0);
  const everFlaps = (changes: boolean[]): boolean => {
    let flap = notFlapping;
    return changes.some((changed) => {
      flap = updateFlap(flap, changed, rule);
      return flap.flapping;
    });
  };
  assert.equal(everFlaps(pattern(3)), true);
  assert.equal(everFlaps(pattern(4)), false);
});

test("[FL3] flapping starts only with a change and stops only with a stable result, for all thresholds", () => {
  const rate = fc.double({ min: 0, max: 1, noNaN: true });
  const rules = fc.record({ alpha: fc.double({ min: 0.01, max: 1, noNaN: true }), a: rate, b: rate });
  fc.assert(
    fc.property(rules, fc.array(fc.boolean(), { maxLength: 60 }), ({ alpha, a, b }, changes) => {
      const own = { ...rule, alpha, highThreshold: Math.max(a, b), lowThreshold: Math.min(a, b) };
      let flap = notFlapping;
      for (const changed of changes) {
        const next = updateFlap(flap, changed, own);
        if (!flap.flapping && next.flapping) assert.ok(changed);
        if (flap.flapping && !next.flapping) assert.ok(!changed);
        assert.ok(next.value >= 0 && next.value <= 1);
        flap = next;
      }
    }),
  );
});

test("[FL3] flap detection that is off in the configuration resets the flap value", () => {
  assert.deepEqual(updateFlap({ value: 0.9, flapping: true }, true, { ...rule, enabled: false }), notFlapping);
});
