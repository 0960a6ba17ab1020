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
  source.loaded.map(({ id }, index) => [source.groupAt?.(index)?.title ?? "", id, source.groupAt?.(index)?.rows ?? 0]);

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
  const source = groupRows(rows, "label:rack", labels);
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
