import assert from "node:assert/strict";
import { test } from "node:test";
import { counted } from "./plural.ts";

const examples = ["object", "process", "match", "notification policy", "recovery", "replay", "child", "more problem"];

test("a noun with its count has the plural of English, except for 1", () => {
  assert.deepEqual(
    examples.map((noun) => counted(1, noun)),
    examples.map((noun) => `1 ${noun}`),
  );
  assert.deepEqual(
    examples.map((noun) => counted(2, noun)),
    [
      ...["2 objects", "2 processes", "2 matches", "2 notification policies"],
      ...["2 recoveries", "2 replays", "2 children", "2 more problems"],
    ],
  );
  assert.equal(counted(0, "dependency"), "0 dependencies");
});
