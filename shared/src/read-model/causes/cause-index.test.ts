import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { keyOf, refOf } from "../../model/object-key.ts";
import { isProblem, type Status } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import { memoryReadModel } from "../memory-read-model.ts";
import { everyRow, rowFor } from "../read-model.fixture.ts";
import { nameSortKey } from "../rows/row-order.ts";

type Change = { readonly object: number; readonly status: Status | "gone"; readonly suppressors: readonly number[] };

const objects = ["sw1", "sw2", "A", "a!s", "a!t", "b", "b!s", "process:p"];
const object = fc.nat(objects.length - 1);
const change: fc.Arbitrary<Change> = fc.record({
  object,
  status: fc.constantFrom("ok", "critical", "critical", "unreachable", "warning", "gone"),
  suppressors: fc.array(object, { maxLength: 3 }),
});
const refAt = (at: number): string => objects[at] ?? "";

const openModel = () =>
  memoryReadModel({
    generation: "one",
    history: { history: async () => ({ ok: true, value: { records: [], nextPageToken: "" } }) },
  });

/** Topmost cause by its definition: a walk over all problems above, for one that is not suppressed. */
function causeByWalk(rows: ReadonlyMap<string, Row>, ref: string): string | undefined {
  const aboveOf = (one: string): readonly string[] => {
    const row = rows.get(one);
    if (row === undefined || !isProblem(row.status)) return [];
    return row.suppressors.filter((above) => above !== one && isProblem(rows.get(above)?.status ?? "ok"));
  };
  const seen = new Set(aboveOf(ref));
  for (const one of seen) for (const above of aboveOf(one)) seen.add(above);
  const tops = [...seen].filter((one) => aboveOf(one).length === 0);
  const order = (one: string): string => nameSortKey("eu", keyOf(one));
  return tops.sort((a, b) => (order(a) < order(b) ? -1 : 1))[0];
}

/** Causes and impacts as text, by the definition. */
function expected(rows: ReadonlyMap<string, Row>): readonly string[] {
  const behind = new Map<string, string[]>();
  const causes = [...rows.keys()].map((ref) => [ref, causeByWalk(rows, ref)] as const);
  for (const [ref, cause] of causes)
    if (cause !== undefined)
      behind.set(cause, [...(behind.get(cause) ?? []), `${keyOf(ref).kind} ${rows.get(ref)?.status}`]);
  return causes.map(([ref, cause]) => `${ref} < ${cause} > ${(behind.get(ref) ?? []).sort()}`).sort();
}

const shown = (rows: Iterable<Row>): readonly string[] =>
  [...rows]
    .map(({ about, cause, impact }) => {
      const counts = impact?.counts.flatMap(({ kind, status, count }) => Array(count).fill(`${kind} ${status}`)) ?? [];
      return `${refOf(about.key)} < ${cause && refOf(cause)} > ${counts.sort()}`;
    })
    .sort();

test("[CS1, CS2] causes and impacts are those of a walk over all rows, and a client that follows changes has them", () =>
  fc.assert(
    fc.asyncProperty(fc.array(fc.array(change, { maxLength: 4 }), { maxLength: 12 }), async (batches) => {
      const model = openModel();
      const rows = new Map<string, Row>();
      const followed = new Map<string, Row>();
      let [revision, changedSince] = [1, ""];
      for (const batch of batches) {
        const changes = batch.map(({ object, status, suppressors }) => {
          const ref = refAt(object);
          const version = { epoch: 1, revision: ++revision };
          if (status === "gone") {
            rows.delete(ref);
            return { kind: "drop" as const, realm: "eu", key: keyOf(ref), ...version };
          }
          const row = rowFor("eu", ref, { ...version, status, suppressors: suppressors.map(refAt) });
          rows.set(ref, row);
          return { kind: "put" as const, row };
        });
        model.apply(changes);
        const answer = await model.status({ ...everyRow, changedSince });
        assert.ok(answer.ok);
        changedSince = answer.value.revision;
        for (const { key } of answer.value.removed) followed.delete(refOf(key));
        for (const row of answer.value.rows) followed.set(refOf(row.about.key), row);
        assert.deepEqual(shown(model.rows("eu")), expected(rows));
        assert.deepEqual(shown(followed.values()), expected(rows));
        assert.equal(answer.value.summary.behind, [...rows.keys()].filter((ref) => causeByWalk(rows, ref)).length);
      }
    }),
    { numRuns: 500 },
  ));

test("[CS1] a problem below two causes counts at the first by name; a problem in between does not count as a cause", async () => {
  const model = openModel();
  const put = (ref: string, suppressors: readonly string[] = []) =>
    ({
      kind: "put",
      row: rowFor("eu", ref, { status: "critical", suppressors, handled: suppressors.length > 0 }),
    }) as const;
  model.apply([
    put("web1!http", ["web1"]),
    put("web1", ["sw2", "sw1"]),
    put("sw2"),
    put("sw1"),
    put("sw1!fan", ["sw1"]),
  ]);
  const other = rowFor("us", "web1!http", { status: "critical", suppressors: ["sw1"], handled: true });
  model.apply([{ kind: "put", row: other }]);
  assert.deepEqual(shown(model.rows("eu")), [
    "sw1 < undefined > host critical,service critical,service critical",
    "sw1!fan < sw1 > ",
    "sw2 < undefined > ",
    "web1 < sw1 > ",
    "web1!http < sw1 > ",
  ]);
  assert.deepEqual(shown(model.rows("us")), ["web1!http < undefined > "]);
});
