import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { LabelCountSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { groupLabels } from "./label-groups.ts";

const label = (key: string, value: string, count: number) => create(LabelCountSchema, { key, value, count });

test("labels are grouped by key, the key with the most frequent value first, each with at most five values", () => {
  const many = Array.from({ length: 7 }, (_, at) => label("host", `web${at}`, 1));
  const groups = groupLabels([label("rack", "r1", 4), label("role", "db", 3), label("rack", "r2", 2), ...many]);
  assert.deepEqual(
    groups.map(({ key, values }) => [key, values.length]),
    [
      ["rack", 2],
      ["role", 1],
      ["host", 5],
    ],
  );
  assert.deepEqual(groupLabels([]), []);
});
