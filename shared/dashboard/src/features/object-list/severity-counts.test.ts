import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { Status } from "@realmwatch/proto/svc/v1/common_pb";
import { StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { wireRefOf } from "../../api/status/object-key.ts";
import { statusItemOf } from "../../api/status/status-item.ts";
import { countSeverities, severityText } from "./severity-counts.ts";

const items = (
  [
    ["dub", Status.OK],
    ["fra", Status.OK],
    ["fra", Status.OK],
    ["fra", Status.CRITICAL],
    ["dub", Status.WARNING],
  ] as const
).flatMap(([realm, status], index) => {
  const object = wireRefOf({ kind: "host", name: `web${index}` });
  return statusItemOf(create(StatusRowSchema, { object, realm, status })) ?? [];
});
const texts = (isStale: (item: { realm: string }) => boolean, selected: Parameters<typeof countSeverities>[2] = []) =>
  countSeverities(items, isStale, selected).map((count) => `${count.current} ${severityText(count)}`);

test("objects of realms that are not current are counted apart, as last known", () => {
  const isStale = ({ realm }: { realm: string }) => realm === "fra";
  assert.deepEqual(texts(isStale), ["0 critical, 1 last known", "1 warning", "1 ok, 2 last known"]);
});

test("without stale rows only numbers are shown; a selected status stays with zero", () => {
  assert.deepEqual(
    texts(() => false, ["unknown"]),
    ["1 critical", "0 unknown", "1 warning", "3 ok"],
  );
});
