import assert from "node:assert/strict";
import { test } from "node:test";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok } from "@realmwatch/shared/model/result";
import type { CommandAnswer, KeptAnswer, KeyedCall } from "../journal/command-answer.ts";
import { KeyedCalls } from "./keyed-calls.ts";

const accepted = (id: string): CommandAnswer => ({ kind: "accepted", ids: [id], matched: 1 });
const refused = (refusal: Refusal): CommandAnswer => ({ kind: "refused", refusal });
const missing = refused({ kind: "missing", what: 'host "x"' });

/** Keyed calls over answers in memory; an execution stores its answer as the journal would. */
function openKeyedCalls() {
  const stored = new Map<string, KeptAnswer>();
  const executed: string[] = [];
  let readable = true;
  const calls = new KeyedCalls({
    answerTo: async ({ identity, key }) =>
      readable ? ok(stored.get(`${identity}/${key}`)) : fail({ kind: "unavailable", what: "the disk" }),
  });
  function keep({ identity, key, requestHash }: KeyedCall, answer: CommandAnswer): void {
    stored.set(`${identity}/${key}`, { identity, key, requestHash, answer, atMs: 0, quota: "commands" });
  }
  return {
    executed,
    setReadable(is: boolean) {
      readable = is;
    },
    async send(
      request: string,
      run: () => CommandAnswer | Promise<CommandAnswer>,
      { key = "k", identity = "ann" } = {},
    ) {
      const call: KeyedCall = { identity, key, requestHash: request };
      return calls.answer(call, {
        async execute() {
          executed.push(request);
          const answer = await run();
          if (answer.kind === "accepted") keep(call, answer);
          return answer;
        },
        keep: async (answer) => keep(call, answer),
      });
    },
  };
}

test("[FD21] a repeat gets the first answer and is not executed", async () => {
  const on = openKeyedCalls();
  assert.deepEqual(await on.send("a", () => accepted("1")), { answer: accepted("1"), isRepeated: false });
  assert.deepEqual(await on.send("a", () => accepted("2")), { answer: accepted("1"), isRepeated: true });
  assert.deepEqual(on.executed, ["a"]);
});

test("[FD21] keys of two identities are different keys", async () => {
  const on = openKeyedCalls();
  await on.send("a", () => accepted("1"));
  const other = await on.send("a", () => accepted("2"), { identity: "ben" });
  assert.deepEqual(other.answer, accepted("2"));
});

test("[FD22] a refusal for good is repeated, one of a full queue or disk is not stored", async () => {
  const on = openKeyedCalls();
  await on.send("a", () => missing);
  assert.deepEqual((await on.send("a", () => accepted("1"))).answer, missing);
  for (const kind of ["exhausted", "unavailable"] as const) {
    const call = { key: kind };
    await on.send("b", () => refused({ kind, what: "later" }), call);
    assert.deepEqual((await on.send("b", () => accepted("2"), call)).answer, accepted("2"), kind);
  }
});

test("[FD23] the key of another request is refused as malformed, and the first answer stays", async () => {
  const on = openKeyedCalls();
  await on.send("a", () => accepted("1"));
  const { answer } = await on.send("b", () => accepted("2"));
  assert.equal(answer.kind === "refused" && answer.refusal.kind, "malformed");
  assert.deepEqual((await on.send("a", () => accepted("3"))).answer, accepted("1"));
  assert.deepEqual(on.executed, ["a"]);
});

test("[FD21] concurrent calls with one key wait for the first; if it stored nothing, the next one is executed", async () => {
  const on = openKeyedCalls();
  const disk = Promise.withResolvers<CommandAnswer>();
  const answers = [1, 2, 3].map((n) => on.send("a", () => (n === 1 ? disk.promise : accepted(String(n)))));
  await new Promise(setImmediate);
  assert.deepEqual(on.executed, ["a"]);
  disk.resolve(refused({ kind: "unavailable", what: "the disk" }));
  const [first, ...rest] = await Promise.all(answers);
  assert.equal(first?.answer.kind, "refused");
  assert.deepEqual(
    rest.map(({ answer }) => answer),
    [accepted("2"), accepted("2")],
  );
  assert.equal(on.executed.length, 2);
});

test("a call whose key cannot be looked up is not executed", async () => {
  const on = openKeyedCalls();
  on.setReadable(false);
  assert.equal((await on.send("a", () => accepted("1"))).answer.kind, "refused");
  on.setReadable(true);
  assert.deepEqual((await on.send("a", () => accepted("2"))).answer, accepted("2"));
});

test("an execution that throws leaves no key behind", async () => {
  const on = openKeyedCalls();
  const broken = on.send("a", () => {
    throw new Error("a bug");
  });
  await assert.rejects(broken, /a bug/);
  assert.deepEqual((await on.send("a", () => accepted("1"))).answer, accepted("1"));
});
