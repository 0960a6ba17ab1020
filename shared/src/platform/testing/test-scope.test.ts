import assert from "node:assert/strict";
import { test } from "node:test";
import { atEnd, type Cleanup, runCleanups, type TestScope } from "./test-scope.fixture.ts";

test("cleanups run in reverse order, each after the one before has ended, and all of them although two fail", async () => {
  const registered: Cleanup[] = [];
  const scope: TestScope = { after: (cleanup) => void registered.push(cleanup) };
  const ran: string[] = [];
  atEnd(scope, () => ran.push("first"));
  atEnd(scope, () => {
    ran.push("second");
    throw new Error("second failed");
  });
  atEnd(scope, async () => {
    await new Promise((resolve) => setImmediate(resolve));
    ran.push("third");
    throw new Error("third failed");
  });
  atEnd(scope, () => ran.push("fourth"));
  assert.equal(registered.length, 1);
  await assert.rejects(runCleanups(registered), (error: AggregateError) => {
    assert.deepEqual(
      error.errors.map(({ message }: Error) => message),
      ["third failed", "second failed"],
    );
    return true;
  });
  assert.deepEqual(ran, ["fourth", "third", "second", "first"]);
});

test("a single failure is thrown as it is, and another scope has cleanups of its own", async () => {
  const scopes = ["one", "two"].map((name) => ({ name, registered: [] as Cleanup[] }));
  const ran: string[] = [];
  for (const { name, registered } of scopes) {
    const scope: TestScope = { after: (cleanup) => void registered.push(cleanup) };
    atEnd(scope, () => ran.push(name));
  }
  await runCleanups(scopes[1]?.registered ?? []);
  assert.deepEqual(ran, ["two"]);
  await assert.rejects(runCleanups([() => Promise.reject(new Error("alone"))]), /^Error: alone$/);
});
