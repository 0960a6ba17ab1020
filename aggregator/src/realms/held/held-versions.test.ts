import assert from "node:assert/strict";
import { test } from "node:test";
import { refOf } from "@realmwatch/shared/model/object-key";
import { memoryReadModel } from "@realmwatch/shared/read-model/memory-read-model";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import type { RowChange, RowVersion } from "@realmwatch/shared/row/row";
import fc from "fast-check";
import { HeldVersions } from "./held-versions.ts";

const version = { epoch: fc.integer({ min: 1, max: 3 }), revision: fc.nat(4) };
const object = { realm: fc.constantFrom("eu", "us"), name: fc.constantFrom("a", "b", "c") };
const stepArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constantFrom("put", "drop"), ...version, ...object }) },
  fc.record({ kind: fc.constant("drop_below"), ...version, ...object }),
  fc.record({ kind: fc.constant("forget"), ...version, ...object }),
);
type Step = typeof stepArbitrary extends fc.Arbitrary<infer T> ? T : never;

function changeOf({ kind, realm, name, epoch, revision }: Step): RowChange {
  const row = rowFor(realm, name, { epoch, revision });
  return kind === "put" ? { kind: "put", row } : { kind: "drop", realm, key: row.about.key, epoch, revision };
}

test("[PT44] the versions held are those of the rows in a read model that got the newer changes only", () => {
  fc.assert(
    fc.property(fc.array(stepArbitrary, { maxLength: 80 }), (steps) => {
      const model = memoryReadModel({
        generation: "1",
        history: { history: async () => ({ ok: true, value: { records: [], nextPageToken: "" } }) },
      });
      const told = new Map<string, RowVersion>();
      const versions = new HeldVersions(({ realm, key, before, after }) => {
        const name = `${realm} ${refOf(key)}`;
        assert.deepEqual(told.get(name), before);
        if (after === undefined) told.delete(name);
        else told.set(name, after);
      });
      for (const step of steps) {
        const { kind, realm, epoch } = step;
        if (kind === "drop_below") {
          versions.dropRealmRowsBelow(realm, epoch);
          model.dropRealmRowsBelow(realm, epoch);
        } else if (kind === "forget") {
          versions.forgetRealm(realm);
          for (const name of [...told.keys()]) if (name.startsWith(`${realm} `)) told.delete(name);
          model.forgetRealm(realm);
        } else if (versions.apply(changeOf(step))) model.apply([changeOf(step)]);
        const rows = ["eu", "us"].flatMap((each) => [...model.rows(each)]);
        assert.deepEqual(
          [...told].sort(),
          rows
            .map(({ realm: of, about, epoch: e, revision }) => [`${of} ${refOf(about.key)}`, { epoch: e, revision }])
            .sort(),
        );
        assert.equal(versions.rows, rows.length);
        assert.ok(rows.every((row) => versions.holds(row.realm, row.about.key)));
      }
    }),
  );
});
