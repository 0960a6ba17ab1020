import assert from "node:assert/strict";
import { test } from "node:test";
import { maxTypoDistance, nearestName } from "./nearest-name.ts";

const rows: readonly [name: string, candidates: readonly string[], nearest: string | undefined][] = [
  ["offce", ["home", "office"], "office"],
  ["OFFICE", ["offices", "office"], "office"],
  ["ab", ["ba", "abc"], "abc"],
  ["x", ["y", "z"], "y"],
  ["x", [], undefined],
  ["same", ["some", "same"], "same"],
];
for (const [name, candidates, nearest] of rows)
  test(`${name} among ${candidates.join(", ")}`, () => assert.equal(nearestName(name, candidates), nearest));

test("candidates beyond the maximum distance are ignored", () => {
  assert.equal(nearestName("auth", ["ui", "hosts"], maxTypoDistance("auth")), undefined);
  assert.equal(nearestName("adress", ["zone", "address"], maxTypoDistance("adress")), "address");
});
