import assert from "node:assert/strict";
import { test } from "node:test";
import { LateOpened } from "./late-opened.ts";

test("a resource is opened once at its first use, again after a failure, and closed only where it was opened", async () => {
  const answers = ["fails", "works"];
  let closed = 0;
  const late = new LateOpened(async () => {
    const answer = answers.shift();
    if (answer !== "works") throw new Error(answer);
    return { answer };
  });
  await late.close(() => closed++);
  assert.equal(answers.length, 2);
  await Promise.all([assert.rejects(late.get(), /fails/), assert.rejects(late.get(), /fails/)]);
  const [one, other] = await Promise.all([late.get(), late.get()]);
  assert.equal(one, other);
  await late.close(() => closed++);
  assert.equal(closed, 1);
});
