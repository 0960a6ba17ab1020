import assert from "node:assert/strict";
import { test } from "node:test";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { allProgramTogglesOn } from "@realmwatch/shared/model/toggles";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { splitCatalog } from "@realmwatch/shared/wire/catalog-parts";
import { maxMessageBytes } from "@realmwatch/shared/wire/nats/nats-subjects";
import { mergeUpdates, type RealmUpdate } from "./realm-write.ts";

const put = (ref: string, epoch: number, revision: number): RealmUpdate => ({
  kind: "change",
  change: { kind: "put", row: rowFor("fra", ref, { epoch, revision }) },
});
const drop = (ref: string, epoch: number, revision: number): RealmUpdate => ({
  kind: "change",
  change: { kind: "drop", realm: "fra", key: keyOf(ref), epoch, revision },
});
const formatChanges = (updates: readonly RealmUpdate[]) =>
  mergeUpdates("fra", updates).changes.map((change) => {
    const { epoch, revision } = change.kind === "put" ? change.row : change;
    return `${change.kind} ${epoch}.${revision}`;
  });

const rows: readonly [rule: string, updates: readonly RealmUpdate[], left: string[]][] = [
  ["the newest revision wins, in any order", [put("a", 1, 3), put("a", 1, 9), put("a", 1, 4)], ["put 1.9"]],
  ["a newer epoch wins over any revision", [put("a", 2, 1), put("a", 1, 99)], ["put 2.1"]],
  ["a removal wins over the row of the same version", [drop("a", 1, 3), put("a", 1, 3)], ["drop 1.3"]],
  ["in either order", [put("a", 1, 3), drop("a", 1, 3)], ["drop 1.3"]],
  ["a later row wins over the removal", [drop("a", 1, 3), put("a", 1, 4)], ["put 1.4"]],
  ["each object keeps its own change", [put("a", 1, 1), put("a!x", 1, 2)], ["put 1.1", "put 1.2"]],
];
for (const [rule, updates, left] of rows) test(rule, () => assert.deepEqual(formatChanges(updates), left));

test("the greatest marker, the newest catalog and every record are kept", () => {
  const catalog = {
    realm: "fra",
    contacts: [],
    views: [],
    sinks: [],
    panels: [],
    slos: [],
    toggles: allProgramTogglesOn,
  };
  const catalogUpdates = (revision: number): readonly RealmUpdate[] =>
    splitCatalog(catalog, maxMessageBytes).parts.map((part) => ({
      kind: "catalog",
      part: { ...part, epoch: 2, revision },
    }));
  const written = mergeUpdates("fra", [
    { kind: "complete", epoch: 5 },
    { kind: "complete", epoch: 3 },
    ...catalogUpdates(7),
    ...catalogUpdates(6),
    { kind: "record", record: { realm: "fra", seq: 1, atMs: 1, type: "config" } },
    { kind: "record", record: { realm: "fra", seq: 2, atMs: 2, type: "config" } },
  ]);
  assert.deepEqual(
    [written.completeEpoch, written.catalogParts.map(({ revision }) => revision), written.records.length],
    [5, [7, 7, 7, 7, 7, 7], 2],
  );
  assert.equal(mergeUpdates("fra", []).completeEpoch, undefined);
});

test("[FD92] of a realm that was forgotten, what came before the last marker does not count", () => {
  const record: RealmUpdate = { kind: "record", record: { realm: "fra", seq: 1, atMs: 1, type: "config" } };
  const written = mergeUpdates("fra", [
    ...[put("a", 9, 9), record, { kind: "complete", epoch: 9 } as const, { kind: "forget", seq: 4 } as const],
    ...[put("b", 9, 9), { kind: "forget", seq: 7 } as const, put("a", 1, 1)],
  ]);
  assert.deepEqual([written.forgottenSeq, written.records, written.completeEpoch], [7, [], undefined]);
  assert.deepEqual(
    written.changes.map((change) => change.kind === "put" && change.row.epoch),
    [1],
  );
  assert.equal(mergeUpdates("fra", [put("a", 1, 1)]).forgottenSeq, undefined);
});
