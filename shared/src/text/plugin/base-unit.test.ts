import assert from "node:assert/strict";
import { test } from "node:test";
import { baseUnitOf } from "./base-unit.ts";

const rows: [uom: string, name: string, factor: number, isCounter?: boolean][] = [
  ["", "", 1],
  ["s", "seconds", 1],
  ["ms", "seconds", 1e-3],
  ["us", "seconds", 1e-6],
  ["µs", "seconds", 1e-6],
  ["ns", "seconds", 1e-9],
  ["m", "seconds", 60],
  ["h", "seconds", 3_600],
  ["d", "seconds", 86_400],
  ["B", "bytes", 1],
  ["KB", "bytes", 1e3],
  ["kB", "bytes", 1e3],
  ["MB", "bytes", 1e6],
  ["KiB", "bytes", 1_024],
  ["GiB", "bytes", 1_024 ** 3],
  ["YiB", "bytes", 1_024 ** 8],
  ["b", "bits", 1],
  ["Mb", "bits", 1e6],
  ["%", "percent", 1],
  ["c", "", 1, true],
  ["C", "celsius", 1],
  ["mA", "amperes", 1e-3],
  ["kW", "watts", 1e3],
  ["mV", "volts", 1e-3],
  ["MHz", "hertz", 1e6],
  ["qps", "qps", 1],
  ["iB", "iB", 1],
  ["B/s", "B/s", 1],
  ["constructor", "constructor", 1],
];
for (const [uom, name, factor, isCounter = false] of rows)
  test(`[SK8] the base unit of ${JSON.stringify(uom)} is ${JSON.stringify(name)}`, () =>
    assert.deepEqual(baseUnitOf(uom), { name, factor, isCounter }));
