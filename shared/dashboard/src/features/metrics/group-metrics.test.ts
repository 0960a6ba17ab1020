import assert from "node:assert/strict";
import { test } from "node:test";
import { create } from "@bufbuild/protobuf";
import { PerfPointSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { latestValueOf } from "./group-metrics.ts";

const perfdata = [
  { label: "time", value: 21, uom: "ms" },
  { label: "used", value: 97, uom: "%" },
  { label: "requests", value: 1_000, uom: "c" },
  { label: "unknown", uom: "s" },
].map((point) => create(PerfPointSchema, point));

const rows: [label: string, uom: string, value: number | undefined][] = [
  ["time", "s", 0.021],
  ["time", "B", undefined],
  ["used", "%", 97],
  ["requests", "c", undefined],
  ["unknown", "s", undefined],
  ["not there", "", undefined],
];

for (const [label, uom, value] of rows)
  test(`[DB70] beside the plot of ${label} in "${uom}" is ${value ?? "the last point"}`, () => {
    assert.equal(latestValueOf({ label, uom }, perfdata), value);
  });
