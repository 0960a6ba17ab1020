import assert from "node:assert/strict";
import { test } from "node:test";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { ContactMute } from "@realmwatch/shared/model/catalog";
import fc from "fast-check";
import { remainingRecipients } from "./remaining-recipients.ts";

/** Names of the contacts of each level, by policy. */
type Levels = Readonly<Record<string, readonly (readonly string[])[]>>;
const names = ["ann", "bea", "cid"];

const planOf = (levels: Levels, counts: Readonly<Record<string, number>>) =>
  ({
    contacts: new Map(names.map((name) => [name, {}])),
    policies: new Map(
      Object.entries(levels).map(([policy, all]) => [policy, { levels: all.map((contacts) => ({ contacts })) }]),
    ),
    objects: new Map(
      Object.entries(counts).flatMap(([policy, count]) =>
        Array.from({ length: count }, (_, n) => [`${policy}${n}`, { policy } as ObjectPlan] as const),
      ),
    ),
  }) as unknown as RealmPlan;
const mutesOf = (muted: readonly string[]) => muted.map((contact) => ({ contact }) as ContactMute);

const rows: readonly [rule: string, levels: Levels, muted: readonly string[], uncovered: string, others: string][] = [
  ["the only contact of a policy", { web: [["ann"]] }, [], "web 1 2", ""],
  ["one of two contacts", { web: [["ann", "bea"]] }, [], "", "bea"],
  ["the other contact is muted", { web: [["ann", "bea"]] }, ["bea"], "web 1 2", ""],
  ["a muted contact with another", { web: [["ann", "bea"]] }, ["ann"], "", "bea"],
  ["the second level has another contact", { web: [["ann"], ["bea"]] }, [], "web 1 2", ""],
  ["the only contact of the second level", { web: [["ann", "bea"], ["ann"]] }, [], "web 2 2", "bea"],
  ["a policy without the contact", { web: [["bea"]] }, [], "", ""],
  ["a policy without objects", { web: [["bea"]], dba: [["ann"]] }, [], "", ""],
];
for (const [rule, levels, muted, uncovered, others] of rows)
  test(`[TG6] who is left: ${rule}`, () => {
    const left = remainingRecipients(planOf(levels, { web: 2 }), mutesOf(muted)).get("ann");
    const lines = left?.uncovered.map(({ policy, level, objects }) => `${policy} ${level} ${objects}`);
    assert.deepEqual([lines?.join(), left?.others.join()], [uncovered, others]);
  });

test("[TG6] who is left is what asking each level of each object's policy gives", () => {
  const levels = fc.array(fc.uniqueArray(fc.constantFrom(...names), { minLength: 1 }), { minLength: 1, maxLength: 3 });
  const policies = fc.record({ a: levels, b: levels, c: levels });
  const counts = fc.record({ a: fc.nat(3), b: fc.nat(3), c: fc.nat(3) });
  fc.assert(
    fc.property(policies, counts, fc.uniqueArray(fc.constantFrom(...names)), (plan, count, muted) => {
      const left = remainingRecipients(planOf(plan, count), mutesOf(muted));
      for (const contact of names) {
        const without = (level: readonly string[]) => level.filter((name) => name !== contact && !muted.includes(name));
        const used = (["a", "b", "c"] as const).filter((policy) => count[policy] > 0);
        const own = used.map((policy) => ({ policy, levels: plan[policy].filter((one) => one.includes(contact)) }));
        const lost = own.filter((one) => one.levels.some((level) => without(level).length === 0));
        const one = left.get(contact);
        assert.deepEqual(
          new Set(one?.uncovered.map(({ policy }) => policy)),
          new Set(lost.map(({ policy }) => policy)),
        );
        assert.equal(
          one?.uncoveredObjects,
          lost.reduce((sum, { policy }) => sum + count[policy], 0),
        );
        assert.deepEqual(one?.others, [...new Set(own.flatMap((each) => each.levels.flatMap(without)))].sort());
      }
    }),
  );
});

test("[TG6] a limited number of policies and contacts is named, the numbers are of all", () => {
  const levels = Object.fromEntries(Array.from({ length: 30 }, (_, n) => [`p${n}`, [["ann"]]]));
  const left = remainingRecipients(
    planOf(levels, Object.fromEntries(Object.keys(levels).map((p, n) => [p, n + 1]))),
    [],
  );
  const ann = left.get("ann");
  assert.deepEqual([ann?.uncovered.length, ann?.uncoveredPolicies, ann?.uncoveredObjects], [20, 30, 465]);
  assert.equal(ann?.uncovered[0]?.objects, 30);
});
