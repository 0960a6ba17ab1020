import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import type { DeliveryState } from "../../model/notification.ts";
import { keyOf } from "../../model/object-key.ts";
import { rowFor } from "../read-model.fixture.ts";
import { RowStore } from "./row-store.ts";

const contacts = ["ann", "bob", "carl"] as const;
const refs = ["a", "b", "c"] as const;
const states = ["queued", "failing", "delivered", "gave_up"] as const satisfies readonly DeliveryState[];

type Deliveries = readonly (readonly [contact: string, state: DeliveryState])[];

const notificationOf = (deliveries: Deliveries) => ({
  ...{ level: 0, sentAtLevel: 1, lastAtMs: 1, nextAtMs: undefined, because: undefined },
  deliveries: deliveries.map(([contact, state]) => ({
    ...{ contact, state, kind: "PROBLEM" as const, sinceMs: 1, attempts: 1, error: "" },
  })),
});

const step = fc.oneof(
  fc.record({
    kind: fc.constant("row" as const),
    ref: fc.constantFrom(...refs),
    deliveries: fc.array(fc.tuple(fc.constantFrom(...contacts), fc.constantFrom(...states)), { maxLength: 3 }),
  }),
  fc.record({ kind: fc.constant("drop" as const), ref: fc.constantFrom(...refs) }),
  fc.record({
    kind: fc.constant("contacts" as const),
    failing: fc.dictionary(fc.constantFrom(...contacts), fc.integer({ min: 1, max: 5 })),
  }),
);

test("[DL32] rows name the contact that fails longest of those that they wait for, and count as changed when it differs", () => {
  fc.assert(
    fc.property(fc.array(step, { maxLength: 30 }), (steps) => {
      const store = new RowStore(100);
      const rows = new Map<string, Deliveries>();
      let failing: Readonly<Record<string, number>> = {};
      let revision = 0;
      const shown = () =>
        new Map(
          [...(store.realms.get("r")?.entries ?? [])].flatMap(([ref, { row, change }]) =>
            row === undefined ? [] : [[ref, { waitingFor: row.notification?.waitingFor, change }]],
          ),
        );
      for (const each of steps) {
        const before = shown();
        revision += 1;
        if (each.kind === "row") {
          const row = rowFor("r", each.ref, { epoch: 1, revision, notification: notificationOf(each.deliveries) });
          store.apply({ kind: "put", row });
          rows.set(each.ref, each.deliveries);
        } else if (each.kind === "drop") {
          store.apply({ kind: "drop", realm: "r", key: keyOf(each.ref), epoch: 1, revision });
          rows.delete(each.ref);
        } else {
          failing = each.failing;
          const views = contacts.map((name) => ({ name, failingSinceMs: failing[name] }));
          store.setContacts("r", views);
          store.setContacts("other", []);
        }
        for (const [ref, { waitingFor, change }] of shown()) {
          const waits = (rows.get(ref) ?? [])
            .filter(([contact, state]) => (state === "queued" || state === "failing") && failing[contact] !== undefined)
            .map(([contact]) => failing[contact] ?? 0);
          assert.equal(waitingFor?.failingSinceMs, waits.length === 0 ? undefined : Math.min(...waits));
          if (waitingFor !== undefined) assert.equal(failing[waitingFor.contact], waitingFor.failingSinceMs);
          const known = before.get(ref);
          if (each.kind === "contacts" && known !== undefined)
            assert.equal(change !== known.change, JSON.stringify(waitingFor) !== JSON.stringify(known.waitingFor));
        }
      }
    }),
  );
});
