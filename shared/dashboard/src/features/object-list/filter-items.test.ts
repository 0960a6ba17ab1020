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

type ItemFields = {
  status?: Status;
  handled?: boolean;
  atMs?: number;
  realm?: string;
  soft?: boolean;
  output?: string;
};

function item(host: string, name: string, fields: ItemFields) {
  const made = statusItemOf(
    create(StatusRowSchema, {
      object: wireRefOf({ kind: "service", host, name }),
      realm: fields.realm ?? "",
      status: fields.status ?? Status.CRITICAL,
      handled: fields.handled ?? false,
      stateType: fields.soft ? StateType.SOFT : StateType.HARD,
      output: fields.output ?? "",
      lastChange: timestampFromMs(fields.atMs ?? 0),
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
const filtered = (search: ListSearch) =>
  filterItems(all, search).map(({ key }) => `${key.kind === "service" && key.host}/${key.name}`);

const bySeverity = ["web1/ssh", "web1/http", "db1/disk", "web2/http", "web10/http"];
const rows: [behaviour: string, search: ListSearch, expected: string[]][] = [
  ["by default unhandled come before handled, then the most severe, then the newest", {}, bySeverity],
  ["an unknown sort order falls back to the default", { sort: "nonsense" }, bySeverity],
  [
    "names are sorted with their numbers in numeric order",
    { sort: "object" },
    ["db1/disk", "web1/http", "web1/ssh", "web2/http", "web10/http"],
  ],
  [
    "a leading minus reverses the order",
    { sort: "-object" },
    ["web10/http", "web2/http", "web1/ssh", "web1/http", "db1/disk"],
  ],
  ["every search word must occur, in upper or lower case", { q: "WEB1 unavail" }, ["web1/http"]],
  [
    "an item matches any of the statuses; unknown names are ignored",
    { status: "warning,unknown,absurd" },
    ["db1/disk", "web2/http"],
  ],
  ["a realm matches exactly", { realm: "dc-2" }, ["web1/ssh"]],
  ["soft problems can be excluded", { soft: "0", q: "db1" }, []],
];
for (const [behaviour, search, expected] of rows) test(behaviour, () => assert.deepEqual(filtered(search), expected));
