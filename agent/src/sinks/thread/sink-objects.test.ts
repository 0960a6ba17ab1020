import assert from "node:assert/strict";
import { test } from "node:test";
import type { SinkObject } from "../sink-type.ts";
import { SinkObjects } from "./sink-objects.ts";

const objectOf = (name: string): SinkObject => ({
  key: { kind: "host", name },
  labels: {},
  zone: "default",
  checkType: "icmp",
  parents: [],
});

test("a configuration whose list of objects was cut off by a later one goes on with the list of that one", async () => {
  const objects = new SinkObjects();
  const first = objects.expect(true);
  objects.receive([objectOf("a")], false);
  const second = objects.expect(true);
  objects.receive([objectOf("b")], true);
  await Promise.all([first, second]);
  assert.deepEqual(objects.get("b"), objectOf("b"));
});

test("a configuration whose list of objects was cut off goes on when the later one needs no objects", async () => {
  const objects = new SinkObjects();
  const first = objects.expect(true);
  assert.equal(objects.expect(false), undefined);
  await first;
});

test("an object that was removed keeps its labels", () => {
  const objects = new SinkObjects();
  objects.receive([objectOf("a")], true);
  objects.receive([objectOf("b")], true);
  assert.deepEqual(objects.get("a"), objectOf("a"));
});
