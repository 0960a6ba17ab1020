import assert from "node:assert/strict";
import { test } from "node:test";
import { nextWallStop, parseRotate, wallStops } from "./wall-stops.ts";

const stops = wallStops([
  { name: "Rack one", realm: "" },
  { name: "Shop", realm: "fra" },
]);
const after = (path: string): string => nextWallStop(stops, new URL(path, "http://wall.test"));

test("[DB14] the wall mode rotates through the problems, the overview and each view, and keeps the stay and the grouping", () => {
  assert.equal(after("/?wall=1&rotate=30"), "/overview?wall=1&rotate=30");
  assert.equal(after("/overview?wall=1&rotate=30"), "/views/Rack%20one?wall=1&rotate=30");
  assert.equal(after("/views/Rack%20one?wall=1&rotate=30"), "/views/Shop?realm=fra&wall=1&rotate=30");
  assert.equal(after("/views/Shop?realm=fra&wall=1&rotate=30"), "/?wall=1&rotate=30");
  assert.equal(after("/overview?wall=1&group=host"), "/views/Rack%20one?wall=1&group=host");
});

test("a page outside of the rotation is followed by the problems", () =>
  assert.equal(after("/slos?wall=1&rotate=30"), "/?wall=1&rotate=30"));

for (const [text, seconds] of [
  ["60", 60],
  ["5", 5],
  ["4", undefined],
  ["3601", undefined],
  ["-60", undefined],
  ["6e1", undefined],
  [undefined, undefined],
] as const)
  test(`a stay of ${text} is ${seconds ?? "ignored"}`, () => assert.equal(parseRotate(text), seconds));
