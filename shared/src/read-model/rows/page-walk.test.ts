import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { refOf } from "../../model/object-key.ts";
import { statuses } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import { memoryReadModel } from "../memory-read-model.ts";
import { everyRow, rowFor } from "../read-model.fixture.ts";
import { type StatusQuery, statusSorts } from "../read-model.ts";
import { matchesFilter } from "./row-filter.ts";

type Step =
  | { readonly kind: "page" }
  /** Another process answers the next page. */
  | { readonly kind: "other" }
  | { readonly kind: "drop"; readonly object: number }
  | { readonly kind: "put"; readonly object: number; readonly row: Partial<Row> };

const objects = Array.from({ length: 12 }, (_, at) => `h${at % 4}${at < 4 ? "" : `!s${at}`}`);
const object = fc.nat(objects.length - 1);
const fields = fc.record({
  status: fc.constantFrom(...statuses),
  handled: fc.boolean(),
  suppressors: fc.array(fc.constantFrom(...objects), { maxLength: 2 }),
  lastChangeAtMs: fc.option(fc.nat(20), { nil: undefined }),
  lastCheckAtMs: fc.option(fc.nat(20), { nil: undefined }),
});
const step: fc.Arbitrary<Step> = fc.oneof(
  { weight: 4, arbitrary: fc.record({ kind: fc.constant("put" as const), object, row: fields }) },
  { weight: 3, arbitrary: fc.constant({ kind: "page" } as const) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("drop" as const), object }) },
  { weight: 1, arbitrary: fc.constant({ kind: "other" } as const) },
);
const query = fc.record({
  sort: fc.record({ by: fc.constantFrom(...statusSorts), reverse: fc.boolean() }),
  pageSize: fc.integer({ min: 1, max: 5 }),
  problemsOnly: fc.boolean(),
});

const openModel = (generation: string) =>
  memoryReadModel({
    generation,
    history: { history: async () => ({ ok: true, value: { records: [], nextPageToken: "" } }) },
  });

/** Two processes with the same rows, and rows by object as of now. */
function openProcesses() {
  const models = [openModel("one"), openModel("two")] as const;
  const rows = new Map<string, Row>();
  let revision = 0;
  return {
    models,
    rows,
    put(ref: string, change: Partial<Row>) {
      const row = rowFor("eu", ref, { ...change, revision: ++revision });
      rows.set(ref, row);
      for (const model of models) model.apply([{ kind: "put", row }]);
    },
    drop(ref: string) {
      const key = rows.get(ref)?.about.key;
      rows.delete(ref);
      const version = { epoch: 1, revision: ++revision };
      if (key !== undefined) for (const model of models) model.apply([{ kind: "drop", realm: "eu", key, ...version }]);
    },
  };
}

/**
 * Walks over all pages with the steps between them, as long as there are any.
 *
 * @returns what the pages had, and what matched throughout
 */
async function walk(asked: Pick<StatusQuery, "sort" | "pageSize" | "problemsOnly">, steps: readonly Step[]) {
  const { models, rows, put, drop } = openProcesses();
  const full = { ...everyRow, ...asked };
  const matching = () => [...rows].flatMap(([ref, row]) => (matchesFilter(row, full, { ownRealm: "" }) ? [ref] : []));
  for (const [at, ref] of objects.entries()) put(ref, { status: statuses[at % statuses.length] ?? "ok" });
  const throughout = new Set<string>(matching());
  const noteMatching = (): void => {
    const now = new Set(matching());
    for (const ref of throughout) if (!now.has(ref)) throughout.delete(ref);
  };
  const seen: string[] = [];
  let [pageToken, pages, answering, isEnded] = ["", 0, 0, false];
  async function page(): Promise<void> {
    const answer = await models[answering % 2]?.status({ ...full, pageToken });
    assert.ok(answer?.ok);
    assert.ok(answer.value.rows.length <= asked.pageSize);
    seen.push(...answer.value.rows.map(({ about }) => refOf(about.key)));
    pageToken = answer.value.nextPageToken;
    pages += 1;
    isEnded = pageToken === "";
  }
  await page();
  for (const one of steps) {
    if (isEnded) break;
    if (one.kind === "page") await page();
    else if (one.kind === "other") answering += 1;
    else if (one.kind === "put") put(objects[one.object] ?? "", one.row);
    else drop(objects[one.object] ?? "");
    noteMatching();
  }
  while (!isEnded) {
    await page();
    assert.ok(pages <= 2 * objects.length + steps.length + 2, "the walk does not end");
  }
  return { seen, throughout, pages };
}

test("[RM30] a row that matches throughout a walk is on a page of it, whatever changes meanwhile", () =>
  fc.assert(
    fc.asyncProperty(query, fc.array(step, { maxLength: 60 }), async (asked, steps) => {
      const { seen, throughout } = await walk(asked, steps);
      assert.deepEqual(
        [...throughout].filter((ref) => !seen.includes(ref)),
        [],
      );
    }),
    { numRuns: 500 },
  ));

test("[RM30] a walk over rows that change with each page ends, after each row was returned at most twice", () =>
  fc.assert(
    fc.asyncProperty(query, fc.array(fields, { minLength: 80, maxLength: 80 }), async (asked, changes) => {
      const steps = changes.flatMap((row, at): Step[] => [
        { kind: "put", object: at % objects.length, row },
        { kind: "put", object: (at * 5) % objects.length, row },
        { kind: "page" },
      ]);
      const { seen } = await walk(asked, steps);
      for (const ref of objects) assert.ok(seen.filter((one) => one === ref).length <= 2, seen.join());
    }),
    { numRuns: 100 },
  ));
