import assert from "node:assert/strict";
import { test } from "node:test";
import { systemClock } from "../system-clock.ts";
import { FairTurns } from "./fair-turns.ts";

test("[PT17, PT26] turns come in order, and other work of the event loop runs between two of them", async () => {
  const turns = new FairTurns({ rounds: 5, clock: systemClock });
  await turns.next("first");
  const seen: string[] = [];
  let ended = false;
  const tick = (): void => {
    if (ended) return;
    if (seen.at(-1) !== "other") seen.push("other");
    setImmediate(tick);
  };
  setImmediate(tick);
  await Promise.all(["a", "b", "c"].map((name) => turns.next(name).then(() => void seen.push(name))));
  ended = true;
  assert.deepEqual(seen, ["other", "a", "other", "b", "other", "c"]);
});

test("[PT26] each peer gets one turn in a circle, however much work another one has", async () => {
  const turns = new FairTurns({ rounds: 1, clock: systemClock });
  const done: string[] = [];
  await turns.next("first");
  const works = ["a1", "a2", "a3", "b1", "b2", "c1"];
  await Promise.all(works.map((work) => turns.next(work.slice(0, 1)).then(() => done.push(work))));
  assert.deepEqual(done, ["a1", "b1", "c1", "a2", "b2", "a3"]);
});

test("[PT26] a turn that was given up takes none of the others' time", async () => {
  const turns = new FairTurns({ rounds: 1, clock: systemClock });
  const done: string[] = [];
  await turns.next("first");
  const giveUp = turns.take("a", () => done.push("a"));
  const other = turns.next("b").then(() => done.push("b"));
  giveUp();
  giveUp();
  await other;
  await turns.next("c");
  assert.deepEqual(done, ["b"]);
});

test("[PT26] pieces of work share a round of the event loop until its time is used up", async () => {
  let nowMs = 0;
  const turns = new FairTurns({ rounds: 1, sliceMs: 2, clock: { monotonic: () => nowMs } });
  const rounds: string[][] = [[]];
  const tick = (): void => {
    if (rounds.push([]) < 8) setImmediate(tick);
  };
  setImmediate(tick);
  const works = ["a1", "b1", "a2", "b2", "a3", "b3"];
  await Promise.all(
    works.map(
      (work) =>
        new Promise<void>((resolve) => {
          turns.take(work.slice(0, 1), () => {
            nowMs += 1;
            rounds.at(-1)?.push(work);
            resolve();
          });
        }),
    ),
  );
  assert.deepEqual(
    rounds.filter((round) => round.length > 0),
    [
      ["a1", "b1"],
      ["a2", "b2"],
      ["a3", "b3"],
    ],
  );
});
