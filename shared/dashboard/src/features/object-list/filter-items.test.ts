import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { StateType, Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { wireRefOf } from "../../api/status/object-key.ts";
import { statusItemOf } from "../../api/status/status-item.ts";
import { filterItems } from "./filter-items.ts";
import type { ListSearch } from "./list-search.ts";

type Sketch = { status?: Status; handled?: boolean; atMs?: number; realm?: string; soft?: boolean; output?: string };

function item(host: string, name: string, sketch: Sketch) {
  const made = statusItemOf(
    create(StatusRowSchema, {
      object: wireRefOf({ kind: "service", host, name }),
      realm: sketch.realm ?? "",
      status: sketch.status ?? Status.CRITICAL,
      handled: sketch.handled ?? false,
      stateType: sketch.soft ? StateType.SOFT : StateType.HARD,
      output: sketch.output ?? "",
      lastChange: timestampFromMs(sketch.atMs ?? 0),
    }),
  );
  assert.ok(made);
  return made;
}

const all = [
  item("web2", "http", { status: Status.WARNING }),
  item("web10", "http", { status: Status.CRITICAL, handled: true }),
  item("web1", "http", { status: Status.CRITICAL, atMs: 1, output: "503 Service Unavailable" }),
  item("web1", "ssh", { status: Status.CRITICAL, atMs: 2, realm: "dc-2" }),
  item("db1", "disk", { status: Status.UNKNOWN, soft: true }),
];
const picked = (search: ListSearch) =>
  filterItems(all, search).map(({ key }) => `${key.kind === "service" && key.host}/${key.name}`);

const worst = ["web1/ssh", "web1/http", "db1/disk", "web2/http", "web10/http"];
const rows: [what: string, search: ListSearch, wanted: string[]][] = [
  ["unhandled before handled, louder first, newer first", {}, worst],
  ["a sort that is none is the usual one", { sort: "nonsense" }, worst],
  [
    "names are ordered with their numbers",
    { sort: "object" },
    ["db1/disk", "web1/http", "web1/ssh", "web2/http", "web10/http"],
  ],
  ["a sort reverses", { sort: "-object" }, ["web10/http", "web2/http", "web1/ssh", "web1/http", "db1/disk"]],
  ["each word has to occur, in any case", { q: "WEB1 unavail" }, ["web1/http"]],
  ["statuses are any of", { status: "warning,unknown,absurd" }, ["db1/disk", "web2/http"]],
  ["a realm is exactly that one", { realm: "dc-2" }, ["web1/ssh"]],
  ["soft problems can be left out", { soft: "0", q: "db1" }, []],
];
for (const [what, search, wanted] of rows) test(what, () => assert.deepEqual(picked(search), wanted));
