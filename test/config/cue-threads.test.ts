import assert from "node:assert/strict";
import { test } from "node:test";
import { CueThreads } from "@realmwatch/shared/platform/cue/engine/cue-threads";

const many = (count: number, textOf: (at: number) => string): string[] =>
  Array.from({ length: count }, (_, at) => textOf(at));

test("[RL29] many documents are evaluated on several threads, in their order", async (t) => {
  const threads = new CueThreads(2 ** 30);
  t.after(() => threads.first.close());
  const fractions: number[] = [];
  const texts = await threads.evaluateAll(
    many(75, (at) => `value: ${at} + 1`),
    (fraction) => fractions.push(fraction),
    3,
  );
  assert.deepEqual(
    texts.map((text) => JSON.parse(text ?? "{}")),
    many(75, String).map((at) => ({ value: Number(at) + 1 })),
  );
  assert.equal(fractions.length, 75);
});

test("[RL29] no document is begun after one that CUE rejects, on any thread", async (t) => {
  const threads = new CueThreads(2 ** 30);
  t.after(() => threads.first.close());
  let begun = 0;
  const texts = await threads.evaluateAll(
    many(500, (at) => (at === 0 ? "value: 1 & 2" : "value: 1")),
    () => begun++,
    2,
  );
  assert.equal(texts[0], undefined);
  assert.ok(begun < 500, `${begun} begun`);
});

test("[RL29] several threads that need too much memory together leave all to one", async (t) => {
  // One thread needs 70 to 100 MiB for such documents.
  const threads = new CueThreads(110 * 2 ** 20);
  t.after(() => threads.first.close());
  let begun = 0;
  const texts = await threads.evaluateAll(
    many(60, (at) => `import "list"\nx: [for i in list.Range(0, 4000, 1) {a: i}]\nvalue: len(x) + ${at}`),
    () => begun++,
    2,
  );
  assert.deepEqual(
    texts.map((text) => JSON.parse(text ?? "{}").value),
    many(60, String).map((at) => Number(at) + 4_000),
  );
  assert.ok(begun > 60, `${begun} begun`);
});
