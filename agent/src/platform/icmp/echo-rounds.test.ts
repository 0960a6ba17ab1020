import assert from "node:assert/strict";
import { test } from "node:test";
import type { EchoRoundResult } from "./echo-protocol.ts";
import { EchoRounds, type EchoSendResult } from "./echo-rounds.ts";

/** Rounds on a manual clock. `sent`: numbers of sent echoes. `jumpMs`: offset of the wall clock. */
function openRounds(answer: (number: number) => EchoSendResult = () => "sent") {
  const sent: number[] = [];
  const results: [id: number, result: EchoRoundResult][] = [];
  const state = { nowMs: 1_000, jumpMs: 0 };
  const rounds = new EchoRounds<string>({
    stampMs: () => state.nowMs + state.jumpMs,
    send(_target, number) {
      const sending = answer(number);
      if (sending === "sent") sent.push(number);
      return sending;
    },
    done: (id, result) => results.push([id, result]),
  });
  const at = (ms: number): void => {
    for (let next = rounds.nextMs; next <= 1_000 + ms; next = rounds.nextMs) {
      state.nowMs = Math.max(state.nowMs, next);
      rounds.step(state.nowMs, 64);
    }
    state.nowMs = 1_000 + ms;
  };
  const reply = (number: number): void => rounds.replied(number, state.nowMs + state.jumpMs, state.nowMs);
  const start = (id: number, timeoutMs = 5_000): void =>
    rounds.start({ id, address: "a", count: 5, spacingMs: 200, timeoutMs }, "a", state.nowMs);
  return { rounds, sent, results, state, at, reply, start };
}

const answered = (received: number, averageMs?: number, refusal = "", sent = 5): EchoRoundResult => ({
  kind: "answered",
  sent,
  received,
  averageMs,
  refusal,
});

test("echoes are sent at intervals; the round ends with the last reply", () => {
  const { sent, results, at, reply, start, rounds } = openRounds();
  start(1);
  at(0);
  for (const [index, ms] of [10, 210, 410, 610, 810].entries()) {
    assert.deepEqual(sent, [0, 1, 2, 3, 4].slice(0, index + 1));
    at(ms);
    reply(index);
    at(ms + 190);
  }
  assert.deepEqual(results, [[1, answered(5, 10)]]);
  assert.equal(rounds.size, 0);
});

test("duplicate, late and unknown replies are ignored", () => {
  const { results, at, reply, start } = openRounds();
  start(1);
  at(0);
  for (const number of [0, 0, 1, 7, 8, 4_294_967_295]) reply(number);
  at(5_000);
  assert.deepEqual(results, [[1, answered(1, 0)]]);
  reply(2);
  assert.equal(results.length, 1);
});

test("after some replies the others are awaited for a second, without any until the timeout", () => {
  const { results, at, reply, start } = openRounds();
  start(1);
  start(2);
  at(0);
  reply(0);
  at(1_799);
  assert.deepEqual(results, []);
  at(1_800);
  assert.deepEqual(results, [[1, answered(1, 0)]]);
  at(4_999);
  assert.equal(results.length, 1);
  at(5_000);
  assert.deepEqual(results[1], [2, answered(0)]);
});

test("missing replies are awaited for twice the slowest reply, as satellite links need", () => {
  const { results, at, reply, start } = openRounds();
  start(1);
  at(0);
  at(900);
  reply(0);
  at(2_599);
  assert.deepEqual(results, []);
  at(2_600);
  assert.deepEqual(results, [[1, answered(1, 900)]]);
});

test("a round whose echoes all failed to send ends with the last one", () => {
  const { results, at, start, rounds } = openRounds(() => ({ code: "ENETUNREACH" }));
  start(1);
  at(799);
  assert.deepEqual(results, []);
  at(800);
  assert.deepEqual(results, [[1, answered(0, undefined, "ENETUNREACH")]]);
  assert.equal(rounds.size, 0);
});

test("the result has the last ICMP error beside the replies", () => {
  const { results, at, reply, start, rounds } = openRounds();
  start(1);
  for (let ms = 0; ms <= 800; ms += 200) at(ms);
  for (const number of [0, 1, 2]) reply(number);
  rounds.refused(3, "host unreachable");
  rounds.refused(4, "too many hops");
  assert.deepEqual(results, [[1, answered(3, 600, "too many hops")]]);
});

test("a full socket buffer delays echoes and loses none", () => {
  let busy = 3;
  const { results, sent, at, reply, start } = openRounds(() => (busy-- > 0 ? "busy" : "sent"));
  start(1);
  for (let ms = 0; ms <= 820; ms += 2) at(ms);
  assert.deepEqual(sent, [0, 1, 2, 3, 4]);
  for (const number of sent) reply(number);
  assert.equal(results[0]?.[1].kind === "answered" && results[0][1].received, 5);
});

test("a jump of the wall clock does not change measured times", () => {
  for (const jumpMs of [-3_600_000, 3_600_000]) {
    const { results, state, at, reply, start } = openRounds();
    start(1);
    for (let ms = 0; ms <= 800; ms += 200) {
      at(ms);
      state.nowMs += 20;
      state.jumpMs += jumpMs;
      reply(ms / 200);
    }
    assert.deepEqual(results, [[1, answered(5, 20)]]);
  }
});

test("replies are assigned to their rounds", () => {
  const { results, at, reply, start, rounds } = openRounds();
  for (let id = 0; id < 1_000; id++) start(id);
  for (let ms = 0; ms <= 800; ms += 200) at(ms);
  assert.equal(rounds.nextNumber, 8_000);
  for (let number = 0; number < 8_000; number++) if (number % 8 !== 7) reply(number);
  assert.deepEqual(
    results.map(([id]) => id),
    Array.from({ length: 1_000 }, (_, id) => id),
  );
  assert.ok(results.every(([, result]) => result.kind === "answered" && result.received === 5));
});
