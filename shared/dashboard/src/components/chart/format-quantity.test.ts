import assert from "node:assert/strict";
import { test } from "node:test";
import { displayUnit, formatIn, withSymbol } from "./format-quantity.ts";

const rows: [value: number, uom: string, shown: string][] = [
  [0, "B", "0 B"],
  [1_610_612_736, "B", "1.5 GiB"],
  [-2048, "B", "-2 KiB"],
  [0.0123456, "s", "12.35 ms"],
  [2.5, "s", "2.5 s"],
  [42, "%", "42 %"],
  [1234567, "c", "1234567"],
  [0.1 + 0.2, "", "0.3"],
];
for (const [value, uom, shown] of rows)
  test(`${value}${uom} is formatted as ${shown}`, () => {
    const unit = displayUnit(Math.abs(value), uom);
    assert.equal(withSymbol(formatIn(value, unit), unit), shown);
  });
