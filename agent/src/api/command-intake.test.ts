import assert from "node:assert/strict";
import { test } from "node:test";
import type { AcceptedCommand, Command } from "@realmwatch/shared/model/command";
import { manualClock } from "@realmwatch/shared/model/manual-clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { noAuthor } from "../engine/author.ts";
import { CommandIntake } from "./command-intake.ts";

const command: Command = { kind: "add_comment", ref: "web1", id: "c1", text: "one" };

/** An intake that records what it does, with a journal that answers on demand. */
function openIntake(commandsWaiting = 0) {
  const events: string[] = [];
  let answer: (result: Result<AcceptedCommand, Refusal>) => void = () => {};
  const intake = new CommandIntake({
    clock: manualClock(),
    limits: {
      reserve: (_, { author }) =>
        author === "too long" ? fail({ kind: "exhausted", what: author }) : ok(() => void events.push("released")),
    },
    journal: {
      accept() {
        events.push("journal");
        return new Promise((resolve) => {
          answer = resolve;
        });
      },
    },
    loop: {
      commandsWaiting,
      announceCommand() {
        events.push("announced");
        return () => void events.push("undone");
      },
      submitCommand: ({ seq }) => void events.push(`submitted ${seq}`),
    },
  });
  return { intake, events, answer: (result: Parameters<typeof answer>[0]) => answer(result) };
}

test("a command is announced, then written, then submitted", async () => {
  const { intake, events, answer } = openIntake();
  const submitted = intake.submit(command, noAuthor);
  assert.deepEqual(events, ["announced", "journal"]);
  answer(ok({ seq: 7, atMs: 0, ...noAuthor, command }));
  assert.equal((await submitted).ok, true);
  assert.deepEqual(events, ["announced", "journal", "submitted 7"]);
});

test("the announcement of a command that the journal refuses is undone", async () => {
  const { intake, events, answer } = openIntake();
  const submitted = intake.submit(command, noAuthor);
  answer(fail({ kind: "unavailable", what: "the disk is full" }));
  assert.equal((await submitted).ok, false);
  assert.deepEqual(events, ["announced", "journal", "undone", "released"]);
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
