import assert from "node:assert/strict";
import { test } from "node:test";
import { type ManualClock, manualClock } from "../../model/manual-clock.fixture.ts";
import type { TextLimits, TextStore } from "../text-store.ts";

/** Limits of the stores of the contract. */
export const contractLimits: TextLimits = { keptMs: 3_600_000, maxTexts: 3, maxLength: 100 };

/**
 * Tests that every text store passes.
 *
 * @param open opens an empty store with `contractLimits`; `reopen` opens the same texts again, as after a restart
 */
export function textStoreContract(
  name: string,
  open: (clock: ManualClock) => Promise<{ readonly store: TextStore; readonly reopen: () => TextStore }>,
): void {
  test(`${name}: [FD96] the first text of a key stays, also for concurrent calls and after a restart`, async () => {
    const { store, reopen } = await open(manualClock(1_000_000));
    assert.equal(await store.read("a"), undefined);
    const added = await Promise.all(["one", "two", "three"].map((text) => store.add("a", text)));
    assert.equal(new Set(added).size, 1);
    assert.deepEqual([await reopen().read("a"), await reopen().add("a", "four")], [added[0], added[0]]);
  });

  test(`${name}: [FD96] the oldest texts are deleted when there are too many or they are too long`, async () => {
    const clock = manualClock(1_000_000);
    const { store } = await open(clock);
    const stored = async () =>
      (
        await Promise.all(
          ["a", "b", "c", "d", "e"].map(async (key) => ((await store.read(key)) === undefined ? "" : key)),
        )
      ).join("");
    for (const key of ["a", "b", "c", "d"]) {
      clock.advance(10);
      await store.add(key, "x".repeat(10));
    }
    assert.equal(await stored(), "bcd");
    clock.advance(10);
    await store.add("e", "x".repeat(85));
    assert.equal(await stored(), "de");
  });

  test(`${name}: [FD96] texts are listed newest first, by time and in parts, also after a restart`, async () => {
    const { store, reopen } = await open(manualClock(Date.now()));
    for (const key of ["b", "a", "c"]) await store.add(key, `text ${key}`);
    await store.add("a", "other");
    const listed = await reopen().list({ offset: 0, limit: 10 });
    assert.deepEqual(
      listed.map(({ text }) => text),
      [...listed].sort((a, b) => b.atMs - a.atMs || (a.key < b.key ? 1 : -1)).map(({ key }) => `text ${key}`),
    );
    assert.equal(listed.length, 3);
    const parts = [await store.list({ offset: 0, limit: 2 }), await store.list({ offset: 2, limit: 2 })];
    assert.deepEqual(parts.flat(), listed);
    const [newest, , oldest] = listed;
    const range = { fromMs: oldest?.atMs, toMs: newest?.atMs };
    assert.deepEqual(await store.list({ ...range, offset: 0, limit: 10 }), listed);
    assert.deepEqual(await store.list({ fromMs: (newest?.atMs ?? 0) + 1, offset: 0, limit: 10 }), []);
    assert.deepEqual(await store.list({ toMs: (oldest?.atMs ?? 0) - 1, offset: 0, limit: 10 }), []);
  });
}
