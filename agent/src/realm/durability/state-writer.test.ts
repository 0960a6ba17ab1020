import assert from "node:assert/strict";
import { test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Notification } from "@realmwatch/shared/model/notification";
import { fail, ok } from "@realmwatch/shared/model/result";
import { type ChangeUrgency, newRoundChanges, type RoundChanges } from "../loop/round-changes.ts";
import { type LoopJournal, StateWriter, type StateWriterOptions } from "./state-writer.ts";

/** A writer of empty states. */
const openWriter = (
  options: Pick<StateWriterOptions, "clock" | "journal"> & Partial<StateWriterOptions>,
): StateWriter =>
  new StateWriter({
    appliedCommandSeq: 0,
    serialize: () => "{}",
    serializeProgram: () => "{}",
    advanced: () => {},
    failed: () => {},
    healed: () => {},
    ...options,
  });

const roundOf = (changes: Partial<RoundChanges>): RoundChanges => ({ ...newRoundChanges(), ...changes });
const changed = (ref: string, urgency: ChangeUrgency): Pick<RoundChanges, "objects"> => ({
  objects: new Map([[ref, urgency]]),
});
const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("changes made during the catch-up after a failure are written before the journal counts as healed", async () => {
  const clock = manualClock();
  const reports: string[] = [];
  const written: { program: string | undefined; seq: number }[] = [];
  let mode: "broken" | "slow" | "works" = "broken";
  let release = (): void => {};
  const journal: LoopJournal = {
    async append({ program, appliedCommandSeq }) {
      if (mode === "broken") return fail({ kind: "unavailable", what: "the disk is full" });
      if (mode === "slow") await new Promise<void>((resolve) => (release = resolve));
      written.push({ program, seq: appliedCommandSeq });
      return ok({ lastHistorySeq: 0 });
    },
  };
  let program = "before";
  const writer = openWriter({
    clock,
    journal,
    serializeProgram: () => program,
    failed: () => void reports.push("failed"),
    healed: () => void reports.push("healed"),
  });
  await writer.write(roundOf(changed("web1", "immediate")));
  mode = "slow";
  clock.advance(1000);
  await yieldToEventLoop();
  program = "after";
  await writer.write(roundOf({ commandSeq: 7, programChanged: true }));
  mode = "works";
  release();
  await yieldToEventLoop();
  assert.deepEqual(written.at(-1), { program: "after", seq: 7 });
  assert.deepEqual(reports, ["failed", "healed"]);
  await writer.stop();
});

test("[DU3] a notification decided while the disk fails is written afterwards, unless it is delivered by then", async () => {
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
  const writer = openWriter({ clock, journal });
  const notification = (id: string) => ({ id }) as Notification;
  await writer.write(roundOf({ notifications: [notification("on disk")] }));
  broken = true;
  await writer.write(roundOf({ notifications: [notification("a"), notification("b")] }));
  await writer.write(roundOf({ notifications: [notification("c")], delivered: ["a", "on disk"] }));
  broken = false;
  clock.advance(1000);
  await yieldToEventLoop();
  assert.deepEqual(written, [
    { notifications: ["on disk"], delivered: [] },
    { notifications: ["b", "c"], delivered: ["on disk"] },
  ]);
  await writer.stop();
});

test("a background write waits for the append of a round, whose command is lost if that append fails", async () => {
  const clock = manualClock();
  const answers: ((succeeds: boolean) => void)[] = [];
  const appended: number[] = [];
  const journal: LoopJournal = {
    append: ({ appliedCommandSeq }) =>
      new Promise((resolve) => {
        appended.push(appliedCommandSeq);
        answers.push((succeeds) =>
          resolve(succeeds ? ok({ lastHistorySeq: 0 }) : fail({ kind: "unavailable", what: "the disk is full" })),
        );
      }),
  };
  const writer = openWriter({ clock, journal });
  writer.start();
  await writer.write(roundOf(changed("web1", "background")));
  const round = writer.write(roundOf({ ...changed("web2", "immediate"), commandSeq: 1 }));
  clock.advance(2_000);
  await yieldToEventLoop();
  assert.deepEqual(appended, [1], "no background write while the round's append is pending");
  answers[0]?.(true);
  await round;
  await yieldToEventLoop();
  assert.deepEqual(appended, [1, 1]);
  answers[1]?.(true);
  await yieldToEventLoop();
  const stopped = writer.stop();
  await yieldToEventLoop();
  answers[2]?.(true);
  await stopped;
});

test("[SC14] background changes are written soon after a start, then at growing intervals", async () => {
  const clock = manualClock();
  const writtenAtMs: number[] = [];
  const writer = openWriter({
    clock,
    journal: {
      async append({ states }) {
        if (states.length > 0) writtenAtMs.push(clock.monotonic());
        return ok({ lastHistorySeq: 0 });
      },
    },
  });
  writer.start();
  for (let second = 1; second <= 120; second += 1) {
    await writer.write(roundOf(changed("web1", "background")));
    clock.advance(1_000);
    await yieldToEventLoop();
  }
  assert.deepEqual(writtenAtMs, [2_000, 6_000, 14_000, 30_000, 60_000, 90_000, 120_000]);
  await writer.stop();
});
