import assert from "node:assert/strict";
import { test } from "node:test";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { fail, ok } from "@realmwatch/shared/model/result";
import fc from "fast-check";
import { markChanged, newRoundChanges } from "../loop/round-changes.ts";
import { type LoopJournal, StateWriter } from "./state-writer.ts";

const refs = ["a", "b", "c"];
type AppendedBatch = Parameters<LoopJournal["append"]>[0];
/** A command that changes some objects and, when `toggles` is set, the program state. */
type TestCommand = { readonly seq: number; readonly refs: readonly string[]; readonly toggles: boolean };

const entryOf = (seq: number, ref: string): HistoryEntry => ({ atMs: seq, type: "comment_added", output: ref });
const lineOf = ({ atMs, output }: HistoryEntry): string => `${atMs} ${output}`;

/** A journal in memory whose appends succeed or fail one by one, on demand. */
function slowJournal() {
  const states = new Map<string, readonly number[]>();
  const history: string[] = [];
  const commands: TestCommand[] = [];
  const pending: { batch: AppendedBatch; answer: (succeeded: boolean) => void }[] = [];
  const head = { program: 0 };
  function store({ states: written, program, history: entries, appliedCommandSeq }: AppendedBatch): void {
    for (const { ref, state } of written) states.set(ref, JSON.parse(state ?? ""));
    if (program !== undefined) head.program = Number(program);
    history.push(...entries.map(lineOf));
    while (commands[0] !== undefined && commands[0].seq <= appliedCommandSeq) commands.shift();
  }
  return {
    ...{ states, history, commands, pending, head },
    journal: {
      append: (batch) =>
        new Promise((resolve) => {
          pending.push({
            batch,
            answer(succeeded) {
              if (succeeded) store(batch);
              resolve(succeeded ? ok({ lastHistorySeq: 0 }) : fail({ kind: "unavailable", what: "the disk is full" }));
            },
          });
        }),
    } satisfies LoopJournal,
  };
}

/** One process of an agent: applies the commands that an earlier process left, then new ones. */
function startProcess(disk: ReturnType<typeof slowJournal>, lastSeq: number) {
  const clock = manualClock();
  const left = [...disk.commands];
  const memory = new Map([...disk.states].map(([ref, seqs]) => [ref, [...seqs]]));
  let { program } = disk.head;
  const writer = new StateWriter({
    ...{ clock, journal: disk.journal, appliedCommandSeq: (left[0]?.seq ?? lastSeq + 1) - 1 },
    serialize: (ref) => JSON.stringify(memory.get(ref) ?? []),
    serializeProgram: () => String(program),
    ...{ advanced() {}, failed() {}, healed() {} },
  });
  let writing: Promise<boolean> | undefined;
  /** Runs a round of the loop: the next one waits until this one is written. */
  function round(commands: readonly TestCommand[], unrelated: readonly string[] = []): void {
    const changes = newRoundChanges();
    for (const ref of unrelated) markChanged(changes, ref, "background");
    for (const { seq, refs: changed, toggles } of commands) {
      changes.commandSeq = seq;
      for (const ref of changed) {
        memory.set(ref, [...(memory.get(ref) ?? []), seq]);
        markChanged(changes, ref, "immediate");
        changes.history.push(entryOf(seq, ref));
      }
      if (toggles) {
        program = seq;
        changes.programChanged = true;
      }
    }
    writing = writer.write(changes);
    void writing.then(() => {
      writing = undefined;
      replayNext();
    });
  }
  /** Applies the commands that were left, two per round, together with unrelated changes. */
  function replayNext(): void {
    if (left.length > 0) round(left.splice(0, 2), refs.slice(left.length % 3));
  }
  writer.start();
  replayNext();
  return { clock, memory, round, isBusy: () => writing !== undefined, program: () => program };
}

const yieldToEventLoop = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

const commandArbitrary = fc.record({
  refs: fc.uniqueArray(fc.constantFrom(...refs), { maxLength: 3 }),
  toggles: fc.integer({ min: 0, max: 9 }).map((n) => n === 0),
});
const actions = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant("round" as const),
      commands: fc.array(commandArbitrary, { maxLength: 3 }),
    }),
  },
  { weight: 6, arbitrary: fc.record({ kind: fc.constant("succeed" as const) }) },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("fail" as const) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.constantFrom(300, 1_000, 2_500) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("background" as const), ref: fc.constantFrom(...refs) }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("kill" as const) }) },
);

test("each command is applied and recorded once, whichever appends succeed or fail before a crash", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(actions, { minLength: 5, maxLength: 60 }), async (scenario) => {
      const disk = slowJournal();
      const accepted: TestCommand[] = [];
      let agent = startProcess(disk, 0);
      const expected = (ref: string): number[] =>
        accepted.filter((command) => command.refs.includes(ref)).map(({ seq }) => seq);
      const settle = async (): Promise<void> => {
        for (let n = 0; n < 20; n += 1) {
          for (const { answer } of disk.pending.splice(0)) answer(true);
          agent.clock.advance(500);
          await yieldToEventLoop();
        }
      };
      for (const action of scenario) {
        if (action.kind === "round" && !agent.isBusy()) {
          const commands = action.commands.map((command, n) => ({ ...command, seq: accepted.length + n + 1 }));
          accepted.push(...commands);
          disk.commands.push(...commands);
          agent.round(commands);
        } else if (action.kind === "background" && !agent.isBusy()) agent.round([], [action.ref]);
        else if (action.kind === "succeed") disk.pending.shift()?.answer(true);
        else if (action.kind === "fail") disk.pending.shift()?.answer(false);
        else if (action.kind === "wait") agent.clock.advance(action.ms);
        else if (action.kind === "kill") {
          disk.pending.splice(0);
          agent = startProcess(disk, accepted.length);
        }
        await yieldToEventLoop();
        if (agent.isBusy()) continue;
        for (const ref of refs) assert.deepEqual(agent.memory.get(ref) ?? [], expected(ref), ref);
      }
      await settle();
      assert.equal(agent.program(), accepted.findLast(({ toggles }) => toggles)?.seq ?? 0);
      assert.deepEqual(disk.commands, [], "all are written in the end");
      for (const ref of refs) assert.deepEqual(disk.states.get(ref) ?? [], expected(ref), ref);
      const lines = accepted.flatMap(({ seq, refs: changed }) => changed.map((ref) => `${seq} ${ref}`));
      assert.deepEqual(disk.history.toSorted(), lines.toSorted());
    }),
    { numRuns: 2_000 },
  );
});
