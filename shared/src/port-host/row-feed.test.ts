import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { manualClock } from "../model/manual-clock.fixture.ts";
import { refOf } from "../model/object-key.ts";
import { blankRow, keyOfChange, type RowChange } from "../row/row.ts";
import { RowFeed } from "./row-feed.ts";

const put = (name: string, revision: number): RowChange => ({
  kind: "put",
  row: { ...blankRow, revision, about: { ...blankRow.about, key: { kind: "host", name } } },
});
const nameOf = (change: RowChange): string => refOf(keyOfChange(change));
const revisionOf = (change: RowChange): number => (change.kind === "put" ? change.row.revision : 0);
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** Feed whose receiver applies a batch only when the test says so. */
function openFeed() {
  const clock = manualClock();
  const batches: { readonly changes: readonly RowChange[]; apply(): void }[] = [];
  const feed = new RowFeed({
    clock,
    send: (changes) => new Promise((resolve) => batches.push({ changes, apply: () => resolve(undefined) })),
  });
  return { clock, batches, feed };
}

/** Step of a run: an object changes, time passes, the receiver applies its oldest batch, or a flush begins. */
const stepArbitrary = fc.oneof(
  { weight: 6, arbitrary: fc.nat(5).map((object) => ({ kind: "change", object }) as const) },
  fc.constantFrom({ kind: "time" } as const, { kind: "apply" } as const, { kind: "flush" } as const),
);

test("[PT43] a receiver of any speed ends with the latest change of each object, and a flush waits for those before it", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(stepArbitrary, { maxLength: 60 }), async (steps) => {
      const { clock, batches, feed } = openFeed();
      const latest = new Map<string, number>();
      const applied = new Map<string, number>();
      const flushes: { readonly wanted: ReadonlyMap<string, number>; isDone: boolean }[] = [];
      const sent = new Map<string, number>();
      let seen = 0;
      let revision = 0;
      const note = (): void => {
        for (; seen < batches.length; seen++)
          for (const change of batches[seen]?.changes ?? []) sent.set(nameOf(change), revisionOf(change));
      };
      const applyNext = async (): Promise<void> => {
        const batch = batches.shift();
        if (batch === undefined) return;
        seen -= 1;
        for (const change of batch.changes) applied.set(nameOf(change), revisionOf(change));
        batch.apply();
        await settle();
        note();
      };
      const started = feed.start([]);
      note();
      await applyNext();
      await started;
      for (const step of steps) {
        if (step.kind === "change") {
          revision += 1;
          latest.set(`h${step.object}`, revision);
          feed.changed([put(`h${step.object}`, revision)]);
        } else if (step.kind === "time") clock.advance(20);
        else if (step.kind === "apply") await applyNext();
        else {
          const flush = { wanted: new Map(latest), isDone: false };
          flushes.push(flush);
          void feed.flush().then(() => {
            note();
            for (const [name, wanted] of flush.wanted)
              assert.ok((sent.get(name) ?? 0) >= wanted, `${name} was not sent`);
            flush.isDone = true;
          });
        }
        note();
        assert.ok(batches.length <= 4, "more than four batches wait for the receiver");
      }
      for (let left = 0; left < 10; left++) {
        clock.advance(20);
        note();
        await applyNext();
      }
      assert.deepEqual([...applied].sort(), [...latest].sort());
      assert.ok(flushes.every(({ isDone }) => isDone));
    }),
  );
});

test("[PT43] 100 000 changes of 1 000 objects wait as 1 000 rows while the receiver is slow", async () => {
  const { clock, batches, feed } = openFeed();
  const started = feed.start([]);
  batches.shift()?.apply();
  await started;
  for (let turn = 0; turn < 100; turn++) {
    feed.changed(Array.from({ length: 1_000 }, (_, at) => put(`h${at}`, turn + 1)));
    clock.advance(20);
  }
  const sizes = (): number[] => batches.map(({ changes }) => changes.length);
  assert.deepEqual(sizes(), [125, 125, 125, 125]);
  for (const round of [1, 2]) {
    for (const { apply } of batches.splice(0)) apply();
    await settle();
    assert.deepEqual(sizes(), [125, 125, 125, 125], `round ${round}`);
    assert.ok(batches.every(({ changes }) => changes.every((change) => revisionOf(change) === 100)));
  }
});
