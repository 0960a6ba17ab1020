import assert from "node:assert/strict";
import { test } from "node:test";
import { cleanUpAtExit } from "./exit-cleanups.ts";

test("a hundred cleanups need one listener, and those that are cancelled are not called at the exit", () => {
  const before = process.listenerCount("exit");
  const called: number[] = [];
  const cancels = Array.from({ length: 100 }, (_, number) => cleanUpAtExit(() => void called.push(number)));
  assert.equal(process.listenerCount("exit"), before + 1);
  for (const cancel of cancels.slice(1, 99)) cancel();
  process.listeners("exit").at(-1)?.call(process, 0);
  assert.deepEqual(called, [0, 99]);
});
