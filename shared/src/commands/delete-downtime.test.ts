import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { DeleteDowntimeRequestSchema } from "@realmwatch/proto/svc/v1/command_pb";
import type { CommandRealm } from "./command-realm.ts";
import { deleteDowntimeCommand } from "./delete-downtime.ts";

const change = [
  { id: "d1", ref: "web1" },
  { id: "d2", ref: "web1" },
  { id: "d3", ref: "web2" },
];
const realm = {
  plan: { contacts: new Map(), recurringDowntimes: [{ name: "backup" }] },
  downtimeRefs: new Map(change.map(({ id, ref }) => [id, ref])),
  downtimesOfChange: (changeId: string) => (changeId === "c1" ? change : []),
} as unknown as CommandRealm;

const rows: readonly (readonly [request: { downtimeId?: string; changeId?: string }, outcome: object | RegExp])[] = [
  [{ downtimeId: "d3" }, { ref: "web2", id: "d3" }],
  [{ changeId: "c1" }, { downtimes: change }],
  [{ downtimeId: "d9" }, /^downtimeId: downtime "d9"$/],
  [{ changeId: "c2" }, /^changeId: a downtime of the change "c2"$/],
  [{ downtimeId: "recurring:backup" }, /^downtimeId: .*comes from the configuration/],
  [{ downtimeId: "d1", changeId: "c1" }, /^changeId cannot be given with downtimeId$/],
  [{}, /^downtimeId is required, or changeId$/],
];
for (const [request, outcome] of rows)
  test(`[DT15] deleting ${JSON.stringify(request)}`, () => {
    const parsed = deleteDowntimeCommand.parse(create(DeleteDowntimeRequestSchema, request), {
      ...{ realm, mintId: () => "minted", nowMs: 0 },
    });
    if (outcome instanceof RegExp) {
      assert.ok(!parsed.ok);
      const { error } = parsed;
      assert.match(
        error.kind === "malformed"
          ? `${error.field} ${error.why}`
          : "what" in error
            ? error.what
            : String("why" in error && error.why),
        outcome,
      );
    } else assert.deepEqual(parsed, { ok: true, value: outcome });
  });

test("[DT15] the deletion of a change has the effects and the number of objects of all its downtimes", () => {
  const by = { by: { author: "ann", onBehalfOf: "" }, atMs: 0 };
  const deleted = { downtimes: change };
  assert.deepEqual(
    deleteDowntimeCommand.effects(deleted, by).map(({ ref, input }) => [ref, input.id]),
    change.map(({ id, ref }) => [ref, id]),
  );
  assert.equal(deleteDowntimeCommand.matched?.(deleted, create(DeleteDowntimeRequestSchema), realm), 2);
});
