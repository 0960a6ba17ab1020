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
  const documents = many(
    4,
    (at) => `import "list"\nx: [for i in list.Range(0, 8000, 1) {a: i}]\nvalue: len(x) + ${at}`,
  );
  let begun = 0;
  const evaluated = async (): Promise<void> => {
    // A thread needs 69 MiB for one such document, and 119 MiB for all four. Each of two threads may use half of this.
    const threads = new CueThreads(130 * 2 ** 20);
    t.after(() => threads.first.close());
    begun = 0;
    const texts = await threads.evaluateAll(documents, () => begun++, 2);
    assert.deepEqual(
      texts.map((text) => JSON.parse(text ?? "{}").value),
      [8_000, 8_001, 8_002, 8_003],
    );
  };
  // When CUE collects its garbage depends on the time: a thread may get by with its half on a busy machine.
  for (let round = 0; round < 5 && begun <= documents.length; round += 1) await evaluated();
  assert.ok(begun > documents.length, `${begun} begun`);
});
