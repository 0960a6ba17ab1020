import assert from "node:assert/strict";
import { test } from "node:test";
import { TurnQueue } from "./turn-queue.ts";

test("[PT17] turns come in order, and other work of the event loop runs between two of them", async () => {
  const turns = new TurnQueue();
  const seen: string[] = [];
  let ended = false;
  const tick = (): void => {
    if (ended) return;
    if (seen.at(-1) !== "other") seen.push("other");
    setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(["a", "b", "c"].map((name) => turns.next().then(() => void seen.push(name))));
  ended = true;
  assert.deepEqual(seen, ["other", "a", "other", "b", "other", "c"]);
});
