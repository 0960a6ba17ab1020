import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import { fail, ok } from "@realmwatch/shared/model/result";
import fc from "fast-check";
import { CommandProgress } from "./command-progress.ts";
import { StateWriter, type LoopJournal } from "./state-writer.ts";
import type { JournaledObject } from "./stored-object.ts";
import { CommandReplay } from "./command-replay.ts";

const refs = ["a", "b", "c"];
type Batch = Parameters<LoopJournal["append"]>[0];
/** What a command does to an object; `held` can wait for its state to be written. */
type Effect = { readonly ref: string; readonly held: boolean };
type Command = { readonly seq: number; readonly effects: readonly Effect[]; readonly moves: boolean };

const recordOf = (seq: number, ref: string): HistoryEntry => ({ atMs: seq, type: "comment_added", output: ref });
const lineOf = ({ atMs, output }: HistoryEntry): string => `${atMs} ${output}`;

/** A disk whose writes land or fail one after the other, when told to. */
function slowDisk() {
  const states = new Map<string, { readonly seqs: readonly number[]; readonly upToCommand: number }>();
  const history: string[] = [];
  const commands: Command[] = [];
  const under: { batch: Batch; answer: (landed: boolean) => void }[] = [];
  let recorded = 0;
  let switches = 0;
  function land({ states: written, program, history: told, appliedCommandSeq, recordedCommandSeq }: Batch): void {
    for (const { ref, state } of written) states.set(ref, JSON.parse(state ?? ""));
    if (program !== undefined) switches = Number(program);
    history.push(...told.map(lineOf));
    while (commands[0] !== undefined && commands[0].seq <= appliedCommandSeq) commands.shift();
    recorded = Math.max(recorded, recordedCommandSeq);
  }
  return {
    ...{ states, history, commands, under },
    head: () => ({ recorded, switches }),
    journal: {
      append: (batch) =>
        new Promise((answer) => {
          under.push({
            batch,
            answer(landed) {
              if (landed) land(batch);
              answer(landed ? ok({ lastHistorySeq: 0 }) : fail({ kind: "unavailable", what: "the disk is full" }));
            },
          });
        }),
    } satisfies LoopJournal,
  };
}

/** One life of an agent: applies what an earlier one left, then what comes. */
function openLife(disk: ReturnType<typeof slowDisk>, lastSeq: number) {
  const clock = manualClock();
  const left = [...disk.commands];
  const appliedSeq = (left[0]?.seq ?? lastSeq + 1) - 1;
  const states = new Map([...disk.states].map(([ref, kept]) => [ref, kept as unknown as JournaledObject]));
  const replay = new CommandReplay({ states, appliedSeq, lastSeq, recordedSeq: disk.head().recorded });
  const memory = new Map([...disk.states].map(([ref, { seqs }]) => [ref, [...seqs]]));
  let { switches } = disk.head();
  const keeper = new StateWriter({
    ...{ clock, journal: disk.journal, appliedCommandSeq: appliedSeq },
    serialize: (ref, seq) => JSON.stringify({ seqs: memory.get(ref) ?? [], upToCommand: replay.upTo(ref, seq) }),
    serializeProgram: () => String(switches),
    ...{ advanced() {}, failed() {}, healed() {} },
  });
  let keeping: Promise<void> | undefined;
  /** A round of the loop: the next one waits until this one is kept. */
  function round(commands: readonly Command[], { moved = [], fresher = [] }: Beside = {}): void {
    const [changed, held, history]: [string[], string[], HistoryEntry[]] = [[...moved], [], []];
    for (const { seq, effects, moves } of commands) {
      for (const { ref, held: canWait } of effects) {
        if (replay.isInStoredState(ref, seq)) continue;
        memory.set(ref, [...(memory.get(ref) ?? []), seq]);
        (canWait ? held : changed).push(ref);
        if (!(canWait && replay.isInHistory(seq))) history.push(recordOf(seq, ref));
      }
      if (moves) switches = seq;
    }
    const waits = held.filter((ref) => !changed.includes(ref));
    const programChanged = commands.some(({ moves }) => moves);
    const seqs = { firstCommandSeq: commands[0]?.seq ?? 0, commandSeq: commands.at(-1)?.seq ?? 0 };
    keeping = keeper.keep({ changed, held: [...new Set(waits)], fresher, history, programChanged, ...seqs });
    void keeping.then(() => {
      keeping = undefined;
      again();
    });
  }
  /** Applies what was left, in rounds of two commands, which move something else as well. */
  function again(): void {
    if (left.length > 0) round(left.splice(0, 2), { moved: refs.slice(left.length % 3) });
  }
  keeper.start();
  again();
  return { clock, memory, keeper, round, isBusy: () => keeping !== undefined, switches: () => switches };
}

type Beside = { readonly moved?: readonly string[]; readonly fresher?: readonly string[] };

const turn = (): Promise<void> => new Promise((go) => setImmediate(go));

const effects = fc.uniqueArray(fc.record({ ref: fc.constantFrom(...refs), held: fc.boolean() }), {
  maxLength: 3,
  selector: ({ ref }) => ref,
});
const orders = fc.record({ effects, moves: fc.integer({ min: 0, max: 9 }).map((n) => n === 0) });
const acts = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({ act: fc.constant("round" as const), orders: fc.array(orders, { maxLength: 3 }) }),
  },
  { weight: 6, arbitrary: fc.record({ act: fc.constant("land" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("fail" as const) }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.constantFrom(300, 1_000, 2_500) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("fresher" as const), ref: fc.constantFrom(...refs) }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("kill" as const) }) },
);

test("[DU10] whatever lands or fails before a kill, each command is applied and recorded once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(acts, { minLength: 5, maxLength: 60 }), async (story) => {
      const disk = slowDisk();
      const accepted: Command[] = [];
      let life = openLife(disk, 0);
      const expected = (ref: string): number[] =>
        accepted.filter((command) => command.effects.some((effect) => effect.ref === ref)).map(({ seq }) => seq);
      const settle = async (): Promise<void> => {
        for (let n = 0; n < 20; n += 1) {
          for (const { answer } of disk.under.splice(0)) answer(true);
          life.clock.advance(500);
          await turn();
        }
      };
      for (const one of story) {
        if (one.act === "round" && !life.isBusy()) {
          const commands = one.orders.map((order, n) => ({ ...order, seq: accepted.length + n + 1 }));
          accepted.push(...commands);
          disk.commands.push(...commands);
          life.round(commands);
        } else if (one.act === "fresher" && !life.isBusy()) life.round([], { fresher: [one.ref] });
        else if (one.act === "land") disk.under.shift()?.answer(true);
        else if (one.act === "fail") disk.under.shift()?.answer(false);
        else if (one.act === "wait") life.clock.advance(one.ms);
        else if (one.act === "kill") {
          disk.under.splice(0);
          life = openLife(disk, accepted.length);
        }
        await turn();
        if (life.isBusy()) continue;
        for (const ref of refs) assert.deepEqual(life.memory.get(ref) ?? [], expected(ref), ref);
      }
      await settle();
      assert.equal(life.switches(), accepted.findLast(({ moves }) => moves)?.seq ?? 0);
      assert.deepEqual(disk.commands, [], "all is written in the end");
      for (const ref of refs) assert.deepEqual(disk.states.get(ref)?.seqs ?? [], expected(ref), ref);
      const lines = accepted.flatMap(({ seq, effects: done }) => done.map(({ ref }) => `${seq} ${ref}`));
      assert.deepEqual(disk.history.toSorted(), lines.toSorted());
    }),
    { numRuns: 4_000 },
  );
});

test("[DU10] a crash has no more than a bounded number of effects to repeat", () => {
  const progress = new CommandProgress(0);
  for (let seq = 1; seq <= 100; seq += 1) {
    progress.applied({ firstSeq: seq, lastSeq: seq, held: [`host${seq % 10}`, `other${seq % 7}`] });
    const due = progress.heldBeyond(30);
    if (due.length > 0) progress.succeeded(progress.begin(due));
    const flight = progress.begin([]);
    progress.succeeded(flight);
    assert.ok(seq - flight.appliedSeq <= 15, `command ${seq} of which ${flight.appliedSeq} are in all states`);
  }
});
