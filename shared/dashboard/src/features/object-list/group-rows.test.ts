import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { statusItemOf } from "../../api/status/status-item.ts";
import { groupRows, parseGrouping } from "./group-rows.ts";

const item = (realm: string, host: string, name: string) => {
  const row = create(StatusRowSchema, { realm, object: { ref: { case: "service", value: { host, name } } } });
  const made = statusItemOf(row);
  assert.ok(made);
  return made;
};
const rows = [item("fra", "b", "1"), item("fra", "a", "1"), item("dub", "b", "1"), item("fra", "b", "2")];
const shape = (source: ReturnType<typeof groupRows>) =>
  source.loaded.map(({ id }, index) => [
    source.groupAt?.(index)?.title ?? "",
    id,
    source.groupAt?.(index)?.items.length ?? 0,
  ]);

test("rows of one host are together, hosts of the same name in two realms apart, in the order of their first rows", () =>
  assert.deepEqual(shape(groupRows(rows, "host")), [
    ["b · fra", "fra/b!1", 2],
    ["", "fra/b!2", 0],
    ["a · fra", "fra/a!1", 1],
    ["b · dub", "dub/b!1", 1],
  ]));

test("rows are grouped by the value of a label, those without it together", () => {
  const labels = new Map([
    ["fra/b!1", "r1"],
    ["dub/b!1", "r1"],
  ]);
  const source = groupRows(rows, "label:rack", { labels });
  assert.deepEqual(
    shape(source).map(([title]) => title),
    ["rack=r1", "", "without rack", ""],
  );
  assert.equal(parseGrouping("label:"), undefined);
});

test("rows are grouped by realm, and found by their ids", () => {
  const source = groupRows(rows, "realm");
  assert.deepEqual(
    shape(source).map(([title]) => title),
    ["fra", "", "", "dub"],
  );
  assert.equal(source.indexOf("dub/b!1"), 3);
  assert.equal(source.indexOf("nothing"), -1);
});

test("a folded group has the place of one row, and keeps its rows, its worst status and its place", () => {
  const source = groupRows(rows, "host", { folded: new Set(["b · fra"]) });
  assert.equal(source.count, 3);
  assert.deepEqual(
    [source.at(0), source.groupAt?.(0)?.items.length, source.groupAt?.(0)?.folded],
    [undefined, 2, true],
  );
  assert.deepEqual(
    source.loaded.map(({ id }) => id),
    ["fra/a!1", "dub/b!1"],
  );
  assert.equal(source.indexOf("fra/b!1"), -1);
  assert.equal(source.indexOf("dub/b!1"), 2);
});

test("rows are grouped by their topmost cause, the cause with its consequences", () => {
  const cause = { ref: { case: "host", value: { name: "sw1" } } } as const;
  const impact = { counts: [{ count: 1 }] };
  const [first, second] = [
    create(StatusRowSchema, { realm: "fra", object: cause, impact }),
    create(StatusRowSchema, { realm: "fra", object: { ref: { case: "host", value: { name: "h1" } } }, cause }),
  ].map(statusItemOf);
  assert.ok(first && second);
  const source = groupRows([first, ...rows, second], "cause");
  assert.deepEqual(
    [0, 2].map((index) => [source.groupAt?.(index)?.title, source.groupAt?.(index)?.items.length]),
    [
      ["sw1 · fra", 2],
      ["Without a common cause", 4],
    ],
  );
});

test("[DB111] a group says which rows it has beside the loaded ones: by its realm, or by its label", () => {
  const labels = new Map([["fra/b!1", 'r"1']]);
  const groupsOf = (by: Parameters<typeof groupRows>[1]) => {
    const source = groupRows(rows, by, { labels });
    return rows.map((_, at) => source.groupAt?.(at)).filter((group) => group !== undefined);
  };
  assert.deepEqual(
    groupsOf("label:rack").map(({ selector }) => selector),
    ['rack="r\\"1"', "!rack"],
  );
  for (const { selector, has } of groupsOf("host").slice(0, 1)) {
    assert.equal(selector, '@realm="fra"');
    assert.deepEqual([item("fra", "b", "3"), item("fra", "a", "3"), item("dub", "b", "3")].map(has), [
      true,
      false,
      false,
    ]);
  }
});
