import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { isProblem, type Status, severityOf, statuses } from "@realmwatch/shared/model/status";
import { statusCodec } from "@realmwatch/shared/wire/fields/enums";
import fc from "fast-check";
import { type StatusItem, statusItemOf } from "../../api/status/status-item.ts";
import { boundedEntries, maxObjects } from "./map-entries.ts";
import { layOutMap } from "./map-layout.ts";

const itemOf = (name: string, status: Status): StatusItem => {
  const object = { ref: { case: "host", value: { name } } } as const;
  const item = statusItemOf(create(StatusRowSchema, { object, status: statusCodec.toProto(status) }));
  assert.ok(item);
  return item;
};

/** Entries of objects with these statuses, of which the worst are loaded, as the server sorts and counts them. */
function entriesOf(all: readonly Status[]) {
  const sorted = all.toSorted((a, b) => severityOf[b] - severityOf[a]);
  const worst = sorted.slice(0, maxObjects).map((status, at) => itemOf(`h${at}`, status));
  const counts = new Map([...Map.groupBy(all, (status) => status)].map(([status, { length }]) => [status, length]));
  return boundedEntries(worst, { counts, noun: "child", search: { q: "@parent=sw1" } });
}

test("[DB120] a switch with 300 children has the worst of them and the number of the others", () => {
  const down = entriesOf(Array.from({ length: 300 }, () => "unreachable"));
  assert.deepEqual(
    [down.length, down.at(-1)?.text, down.at(-1)?.list],
    [13, "288 more problems", { to: "/", search: { q: "@parent=sw1", handled: "1" } }],
  );
  const up = entriesOf(Array.from({ length: 300 }, (_, at) => (at < 3 ? "warning" : "ok")));
  assert.deepEqual(
    up.map(({ text, list }) => [text, list?.search["status"]]),
    [["h0"], ["h1"], ["h2"], ["297 OK children", "ok"]].map(([text, status]) => [text, status]),
  );
});

test("[DB120] the entries of a map count every object once, and are few", () => {
  fc.assert(
    fc.property(fc.array(fc.constantFrom(...statuses), { maxLength: 60 }), (all) => {
      const entries = entriesOf(all);
      const counted = entries.map(({ item, text }) => (item === undefined ? Number.parseInt(text, 10) : 1));
      assert.equal(
        counted.reduce((sum, count) => sum + count, 0),
        all.length,
      );
      assert.ok(entries.length <= maxObjects + 3);
      const isHidden = entries.some(({ text }) => / more problem/.test(text));
      const named = entries.filter(({ item }) => item !== undefined).length;
      assert.ok(!isHidden || (named === maxObjects && all.filter(isProblem).length > maxObjects));
    }),
  );
});

test("[DB120] a map has three columns within its width, without entries on each other", () => {
  fc.assert(
    fc.property(fc.nat(12), fc.nat(15), fc.integer({ min: 420, max: 1_600 }), (before, after, width) => {
      const make = (side: string, count: number) =>
        entriesOf(Array.from({ length: count }, () => "ok")).map((entry) => ({ ...entry, id: `${side}${entry.id}` }));
      const [own] = entriesOf(["critical"]);
      assert.ok(own);
      const layout = layOutMap(
        { above: make("a", before), own, below: make("b", after) },
        { width, nodeHeight: 28, indirect: new Set() },
      );
      const places = new Set(layout.nodes.map(({ x, y }) => `${x} ${y}`));
      assert.equal(places.size, layout.nodes.length);
      for (const { x, y } of layout.nodes)
        assert.ok(x >= 0 && x + layout.nodeWidth <= width && y >= 0 && y < layout.height);
      assert.equal(layout.lines.length, layout.nodes.length - 1);
    }),
  );
});
