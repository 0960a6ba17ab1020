import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import { fail, ok } from "@realmwatch/shared/model/result";
import { StateWriter, type LoopJournal } from "./state-writer.ts";

type KeeperOptions = ConstructorParameters<typeof StateWriter>[0];

/** A keeper of texts that say nothing. */
const openKeeper = (options: Pick<KeeperOptions, "clock" | "journal"> & Partial<KeeperOptions>): StateWriter =>
  new StateWriter({
    appliedCommandSeq: 0,
    serialize: () => "{}",
    serializeProgram: () => "{}",
    advanced: () => {},
    failed: () => {},
    healed: () => {},
    ...options,
  });

const nothing = {
  ...{ changed: [], held: [], fresher: [], history: [] },
  ...{ firstCommandSeq: 0, commandSeq: 0, programChanged: false },
};

test("what comes while everything is written after a failure is on disk before the journal counts as healed", async () => {
  const clock = manualClock();
  const told: string[] = [];
  const written: { program: string | undefined; seq: number }[] = [];
  let mode: "broken" | "slow" | "works" = "broken";
  let release = (): void => {};
  const journal: LoopJournal = {
    async append({ program, appliedCommandSeq }) {
      if (mode === "broken") return fail({ kind: "unavailable", what: "the disk is full" });
      if (mode === "slow") await new Promise<void>((go) => (release = go));
      written.push({ program, seq: appliedCommandSeq });
      return ok({ lastHistorySeq: 0 });
    },
  };
  let program = "before";
  const keeper = openKeeper({
    clock,
    journal,
    serializeProgram: () => program,
    failed: () => void told.push("failed"),
    healed: () => void told.push("healed"),
  });
  const turn = (): Promise<void> => new Promise((go) => setImmediate(go));
  await keeper.keep({ ...nothing, changed: ["web1"] });
  mode = "slow";
  clock.advance(1000);
  await turn();
  program = "after";
  await keeper.keep({ ...nothing, commandSeq: 7, programChanged: true });
  mode = "works";
  release();
  await turn();
  assert.deepEqual(written.at(-1), { program: "after", seq: 7 });
  assert.deepEqual(told, ["failed", "healed"]);
  await keeper.stop();
});

test("[DU3] what is decided while the disk fails is written when it is back, unless it was delivered by then", async () => {
  const clock = manualClock();
  const written: { notifications: string[]; delivered: readonly string[] }[] = [];
  let broken = false;
  const journal: LoopJournal = {
    async append({ notifications, delivered }) {
      if (broken) return fail({ kind: "unavailable", what: "the disk is full" });
      written.push({ notifications: notifications.map(({ id }) => id), delivered });
      return ok({ lastHistorySeq: 0 });
    },
  };
  const keeper = openKeeper({ clock, journal });
  const decided = (id: string) => ({ id }) as Notification;
  await keeper.keep({ ...nothing, notifications: [decided("on disk")] });
  broken = true;
  await keeper.keep({ ...nothing, notifications: [decided("a"), decided("b")] });
  await keeper.keep({ ...nothing, notifications: [decided("c")], delivered: ["a", "on disk"] });
  broken = false;
  clock.advance(1000);
  await new Promise((go) => setImmediate(go));
  assert.deepEqual(written, [
    { notifications: ["on disk"], delivered: [] },
    { notifications: ["b", "c"], delivered: ["on disk"] },
  ]);
  await keeper.stop();
});

test("[DU10] what commands stand for is on disk after seconds, or at once where much of it has come together", async () => {
  const clock = manualClock();
  const written: [atMs: number, refs: string[], applied: number][] = [];
  const keeper = openKeeper({
    clock,
    journal: {
      async append({ states, appliedCommandSeq }) {
        written.push([clock.monotonic(), states.map(({ ref }) => ref), appliedCommandSeq]);
        return ok({ lastHistorySeq: 0 });
      },
    },
  });
  const turn = (): Promise<void> => new Promise((go) => setImmediate(go));
  const commanded = (seq: number, ...held: string[]) =>
    keeper.keep({ ...nothing, held, firstCommandSeq: seq, commandSeq: seq });
  await commanded(1, "web1", "web2");
  await commanded(2, "web1");
  assert.equal(written.length, 0);
  clock.advance(1_000);
  await keeper.keep({ ...nothing, changed: ["web1"], firstCommandSeq: 3, commandSeq: 3 });
  assert.deepEqual(written.splice(0), [[1_000, ["web1"], 0]], "the first command is not in the state of web2");
  clock.advance(1_000);
  await turn();
  assert.deepEqual(written.splice(0), [[2_000, ["web2"], 3]]);

  const many = Array.from({ length: 15_000 }, (_, n) => `host${n}`);
  await commanded(4, ...many);
  assert.equal(written.length, 0);
  await commanded(5, ...many);
  assert.deepEqual(
    written.splice(0).map(([, refs, applied]) => [refs.length, applied]),
    [[15_000, 5]],
  );
  await keeper.keep({ ...nothing, held: ["web2"], firstCommandSeq: 6, commandSeq: 6 });
  await keeper.keep({ ...nothing, programChanged: true });
  assert.deepEqual(written.splice(0), [[2_000, ["web2"], 6]], "a switch would have it come out otherwise");
  await keeper.stop();
});

test("[SC14] what is only fresher is on disk soon after a start, then less and less often", async () => {
  const clock = manualClock();
  const writtenAtMs: number[] = [];
  const keeper = openKeeper({
    clock,
    journal: {
      async append({ states }) {
        if (states.length > 0) writtenAtMs.push(clock.monotonic());
        return ok({ lastHistorySeq: 0 });
      },
    },
  });
  keeper.start();
  for (let second = 1; second <= 120; second += 1) {
    await keeper.keep({ ...nothing, fresher: ["web1"] });
    clock.advance(1_000);
    await new Promise((go) => setImmediate(go));
  }
  assert.deepEqual(writtenAtMs, [2_000, 6_000, 14_000, 30_000, 60_000, 90_000, 120_000]);
  await keeper.stop();
});
