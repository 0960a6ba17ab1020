import assert from "node:assert/strict";
import { test } from "node:test";
import { emptyCatalog } from "@realmwatch/shared/wire/catalog-parts";
import fc from "fast-check";
import { HeldCatalog, type HeldPartChange, type VersionedCatalogPart } from "./held-catalog.ts";

/** Part of the views, with one view named by its version. */
const part = (revision: number, number: number, parts: number, epoch = 1): VersionedCatalogPart => ({
  ...{ kind: "view", number, parts, epoch, revision },
  catalog: {
    ...emptyCatalog("fra"),
    views: [{ name: `${epoch}.${revision}`, selector: "", description: "", saved: false, author: "" }],
  },
});

test("[FD71] parts of which a kind has no more are dropped, whatever the order in which messages arrive", () => {
  // Three parts, then the second one anew, then two parts, then one of the next epoch.
  const messages = [
    part(1, 0, 3),
    part(2, 1, 3),
    part(3, 2, 3),
    part(4, 1, 3),
    part(5, 0, 2),
    part(6, 1, 2),
    part(1, 0, 1, 2),
  ];
  fc.assert(
    fc.property(fc.shuffledSubarray(messages, { minLength: messages.length }), fc.nat(6), (order, again) => {
      const changes: HeldPartChange[] = [];
      const held = new HeldCatalog("fra", (change) => changes.push(change));
      for (const message of [...order, order[again] ?? part(1, 0, 3)]) held.apply(message);
      assert.deepEqual(
        held.catalog.views.map(({ name }) => name),
        ["2.1"],
      );
      const live = new Map<string, unknown>();
      for (const { token, before, after } of changes) {
        assert.equal(live.get(token), before);
        if (after === undefined) live.delete(token);
        else live.set(token, after);
      }
      assert.deepEqual([...live.keys()], ["view.0"]);
    }),
  );
});

test("[FD71] a catalog has the entries of its parts in their order, and the toggles of their own part", () => {
  const held = new HeldCatalog("fra", () => {});
  for (const one of [part(2, 1, 2), part(1, 0, 2)]) assert.equal(held.apply(one), true);
  assert.equal(held.apply(part(1, 0, 2)), false);
  const toggles = { ...emptyCatalog("").toggles, notifications: false };
  held.apply({ ...part(3, 0, 1), kind: "toggles", catalog: { ...emptyCatalog("fra"), toggles } });
  assert.deepEqual(
    held.catalog.views.map(({ name }) => name),
    ["1.1", "1.2"],
  );
  assert.equal(held.catalog.toggles.notifications, false);
});
