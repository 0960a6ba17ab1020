import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptedCommand, Command } from "@realmwatch/shared/commands/commands";
import { noAuthor } from "@realmwatch/shared/model/author";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { manualRight } from "../platform/right/manual-right.fixture.ts";
import type { ConfigCall } from "../port/port-contract.ts";
import { openBareLoop } from "../realm/fixtures/bare-loop.fixture.ts";
import { CommandIntake } from "./command-intake.ts";
import { CommandLimits } from "./command-limits.ts";
import { ConfigExecutor } from "./config-executor.ts";
import { ExternalCommandIntake } from "./external-command-intake.ts";

const command: Command = { kind: "add_comment", ref: "web1", id: "c1", text: "one" };

/** An intake that records what it does, with a journal that answers on demand. */
function openIntake(commandsWaiting = 0) {
  const events: string[] = [];
  let answer: (result: Result<AcceptedCommand, Refusal>) => void = () => {};
  const intake = new CommandIntake({
    clock: manualClock(),
    limits: {
      reserve: (_, { author }) =>
        author === "too long"
          ? fail({ kind: "exhausted", what: author })
          : ok((accepted) => void events.push(accepted ? "kept" : "released")),
    },
    journal: {
      accept() {
        events.push("journal");
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    },
    inputs: {
      commandsWaiting,
      submitCommand: ({ seq }) => void events.push(`submitted ${seq}`),
    },
  });
  return { intake, events, answer: (result: Parameters<typeof answer>[0]) => answer(result) };
}

test("a command is written, then submitted", async () => {
  const { intake, events, answer } = openIntake();
  const submitted = intake.submit(command, noAuthor);
  assert.deepEqual(events, ["journal"]);
  answer(ok({ seq: 7, atMs: 0, ...noAuthor, command }));
  assert.equal((await submitted).ok, true);
  assert.deepEqual(events, ["journal", "submitted 7", "kept"]);
});

test("a command that the journal refuses is not submitted, and does not count against the limits", async () => {
  const { intake, events, answer } = openIntake();
  const submitted = intake.submit(command, noAuthor);
  answer(fail({ kind: "unavailable", what: "the disk is full" }));
  assert.equal((await submitted).ok, false);
  assert.deepEqual(events, ["journal", "released"]);
});

test("a command beyond a limit is refused without a trace", async () => {
  const { intake, events } = openIntake();
  const refused = await intake.submit(command, { author: "too long", onBehalfOf: "" });
  assert.deepEqual([refused.ok, events], [false, []]);
});

test("a command beyond the queue limit is refused without a trace", async () => {
  const { intake, events } = openIntake(10_000);
  const refused = await intake.submit(command, noAuthor);
  assert.deepEqual([refused.ok, events], [false, []]);
});

test("other requests see what a command adds or deletes from when the journal has it, and never when it is refused", async () => {
  const { inputs, realm, settle } = openBareLoop();
  const answers: (() => void)[] = [];
  let isFull = false;
  let seq = 0;
  const intake = new CommandIntake({
    clock: manualClock(),
    limits: new CommandLimits(realm),
    journal: {
      accept: (given) =>
        new Promise((resolve) => {
          seq += 1;
          const refused = fail<Refusal>({ kind: "unavailable", what: "the disk is full" });
          const answer = isFull ? refused : ok({ ...given, seq });
          answers.push(() => resolve(answer));
        }),
    },
    inputs,
  });
  /** True before and after the journal answers, and after the command is applied, if comment c1 can be found. */
  const submit = async (one: Command): Promise<readonly boolean[]> => {
    const submitted = intake.submit(one, noAuthor);
    const seen = [realm.commentRefs.has("c1")];
    answers.shift()?.();
    await submitted;
    seen.push(realm.commentRefs.has("c1"));
    await settle();
    return [...seen, realm.commentRefs.has("c1")];
  };
  const deletion: Command = { kind: "delete_comment", ref: "web1", id: "c1" };
  isFull = true;
  assert.deepEqual(await submit(command), [false, false, false]);
  isFull = false;
  assert.deepEqual(await submit(command), [false, true, true]);
  isFull = true;
  assert.deepEqual(await submit(deletion), [true, true, true]);
  isFull = false;
  assert.deepEqual(await submit(deletion), [true, false, false]);
});

/** Takes lines into a realm whose journal answers in a later turn of the event loop. Resolves with what was refused. */
async function take(lines: readonly string[]) {
  const clock = manualClock(1_000_000);
  const { inputs, loop, realm, settle } = openBareLoop();
  let seq = 0;
  let id = 0;
  const refused: string[] = [];
  const intake = new ExternalCommandIntake({
    clock,
    realm,
    inputs,
    loop,
    mintId: () => `c${++id}`,
    intake: new CommandIntake({
      clock,
      limits: new CommandLimits(realm),
      journal: {
        async accept(given) {
          await new Promise((resolve) => setImmediate(resolve));
          seq += 1;
          return ok({ ...given, seq });
        },
      },
      inputs,
    }),
    audit: { add: async () => {} },
    refused: (_name, why) => void refused.push(why),
    counted() {},
  });
  await intake.take(lines.map((text) => ({ text, tooLong: false })));
  await settle();
  return { refused, comments: [...realm.commentRefs.keys()] };
}

test("a deletion of all comments finds the one that the line before it added", async () => {
  const lines = ["[1] ADD_HOST_COMMENT;web1;1;ann;one", "[1] DEL_ALL_HOST_COMMENTS;web1"];
  assert.deepEqual(await take(lines), { refused: [], comments: [] });
  assert.deepEqual((await take(lines.slice(0, 1))).comments, ["c1"]);
});

/** Intake of a member of a pair, whose journal takes everything. */
function openHeldIntake() {
  const accepted: string[] = [];
  const clock = manualClock();
  const right = manualRight(clock);
  const intake = new CommandIntake({
    ...{ clock, right },
    limits: { reserve: () => ok(() => {}) },
    journal: {
      async accept(given) {
        const { command: one } = given;
        accepted.push(
          "text" in one ? one.text : one.kind === "process_check_results" ? String(one.results.length) : "",
        );
        return ok({ ...given, seq: accepted.length });
      },
    },
    inputs: { commandsWaiting: 0, submitCommand: () => {} },
  });
  return { clock, right, intake, accepted };
}

test("[PA42] commands are refused while the right to act has ended, with the reason and without a trace", async () => {
  const { clock, right, intake, accepted } = openHeldIntake();
  right.grant(1_000);
  assert.equal((await intake.submit(command, noAuthor)).ok, true);
  clock.advance(1_000);
  const what = "held: this agent's right to act has ended: the lease ended; nothing was done";
  assert.deepEqual(await intake.submit(command, noAuthor), fail({ kind: "unavailable", what }));
  const configs = new ConfigExecutor({
    ...{ clock, right, keyedCalls: undefined as never, journal: undefined as never },
    configuration: { apply: () => assert.fail("nothing is applied") },
  });
  assert.deepEqual(await configs.apply({ cue: "", key: undefined, timeoutMs: 1_000 } as ConfigCall), {
    ok: false,
    error: { kind: "unavailable", what },
  });
  assert.deepEqual(accepted, ["one"]);
});

test("[PA42] lines of the command file wait for the right in their order; at a stop they are refused and recorded", async () => {
  const { clock, right, intake, accepted } = openHeldIntake();
  const { inputs, realm } = openBareLoop();
  const refused: string[] = [];
  const external = new ExternalCommandIntake({
    ...{ clock, realm, intake, inputs, right },
    mintId: () => "c1",
    audit: { add: async ({ outcome }) => void (outcome === "failed" && refused.push("audited")) },
    loop: { settled: async () => {} },
    refused: (_, why) => refused.push(why),
    counted: () => {},
  });
  const lines = ["one", "two", "three"].map((text) => ({
    text: `[1] ADD_HOST_COMMENT;web1;1;ann;${text}`,
    tooLong: false,
  }));
  right.end();
  const taken = external.take(lines);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual(accepted, []);
  right.grant(1_000);
  await taken;
  assert.deepEqual([accepted, refused], [["one", "two", "three"], []]);
  right.end();
  const held = external.take(lines.slice(0, 1));
  external.stopWaiting();
  await held;
  assert.equal(accepted.length, 3);
  assert.match(refused[0] ?? "", /^held: /);
  assert.equal(refused[1], "audited");
});
