import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { Admission, type AdmissionLimits, type AdmittedRequest, defaultAdmissionLimits } from "./admission.ts";

const limits: AdmissionLimits = {
  beginMs: 0,
  active: 2,
  streaming: 1,
  waiting: 4,
  bodies: { totalBytes: 100, perPeerBytes: 50, freeBytes: 10 },
  answers: { totalBytes: 1_000, perPeerBytes: 100 },
  stallMs: 10_000,
};
const stopped = { monotonic: () => 0 };
const open = (more: Partial<AdmissionLimits> = {}) => new Admission({ ...limits, ...more }, stopped);
const round = (): Promise<void> => new Promise((done) => setImmediate(done));

/** Model of the turns: looks at all requests for each decision. */
class TurnModel {
  readonly #waiting: { readonly peer: string; readonly name: string; readonly enteredAt: number }[] = [];
  readonly active: { readonly peer: string; readonly name: string }[] = [];
  readonly begun: string[] = [];
  /** Number of the turn since which a peer could have begun a request without doing so. */
  readonly #ableSince = new Map<string, number>();
  #isResting = false;
  #time = 0;

  enter(peer: string, name: string): boolean {
    const waiting = this.#waiting.filter((each) => each.peer === peer).length - this.#granted(peer);
    if (!this.#isAble(peer) && waiting >= limits.waiting) return false;
    this.#waiting.push({ peer, name, enteredAt: this.#time++ });
    this.#note();
    if (!this.#isResting) this.#beginNext();
    return true;
  }

  leave(name: string): void {
    for (const list of [this.#waiting, this.active]) {
      const at = list.findIndex((each) => each.name === name);
      if (at >= 0) list.splice(at, 1);
    }
    this.#note();
    if (!this.#isResting) this.#beginNext();
  }

  round(): void {
    this.#isResting = false;
    this.#beginNext();
  }

  #granted(peer: string): number {
    return Math.min(this.#waiting.filter((each) => each.peer === peer).length, this.#free(peer));
  }

  #free(peer: string): number {
    return limits.active - this.active.filter((each) => each.peer === peer).length;
  }

  #isAble(peer: string): boolean {
    return this.#granted(peer) < this.#free(peer);
  }

  /** Notes since when each peer has a request that could begin. */
  #note(): void {
    for (const peer of new Set([...this.#waiting.map((each) => each.peer), ...this.#ableSince.keys()]))
      if (this.#granted(peer) === 0) this.#ableSince.delete(peer);
      else if (!this.#ableSince.has(peer)) this.#ableSince.set(peer, this.#time++);
  }

  #beginNext(): void {
    const [next] = [...this.#ableSince].sort(([, one], [, other]) => one - other);
    if (next === undefined) return;
    const [peer] = next;
    const at = this.#waiting.findIndex((each) => each.peer === peer);
    const [begun] = this.#waiting.splice(at, 1);
    if (begun === undefined) return;
    this.active.push(begun);
    this.begun.push(begun.name);
    this.#isResting = true;
    this.#ableSince.delete(peer);
    this.#note();
  }
}

type Step =
  | { readonly kind: "enter"; readonly peer: string }
  | { readonly kind: "leave"; readonly at: number }
  | { readonly kind: "round" };
const step: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("enter" as const), peer: fc.constantFrom("a", "b", "c", "d") }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("leave" as const), at: fc.nat() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant("round" as const) }) },
);

test("[PT26] requests begin in the order of a model that looks at all of them for each turn", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 60, size: "max" }), async (steps) => {
      const admission = open();
      const model = new TurnModel();
      const begun: string[] = [];
      const entered = new Map<string, AdmittedRequest>();
      for (const [number, each] of steps.entries())
        if (each.kind === "round") {
          await round();
          model.round();
        } else if (each.kind === "leave") {
          const name = [...entered.keys()][each.at % Math.max(1, entered.size)] ?? "";
          entered.get(name)?.leave();
          entered.delete(name);
          model.leave(name);
        } else {
          const name = `${each.peer}${number}`;
          const request = admission.enter(each.peer, { begin: () => begun.push(name) });
          if (request !== undefined) entered.set(name, request);
          assert.equal(request !== undefined, model.enter(each.peer, name), `${name} is admitted`);
          assert.deepEqual(begun, model.begun);
        }
      assert.deepEqual(begun, model.begun);
      for (const request of entered.values()) request.leave();
      await round();
      assert.equal(admission.bodyBytes, 0);
    }),
    { numRuns: 300 },
  );
});

/** Enters requests of a peer. Returns them, and the numbers of those that have begun. */
function enterAll(admission: Admission, peer: string, count: number) {
  const begun: number[] = [];
  const requests = Array.from({ length: count }, (_, at) => admission.enter(peer, { begin: () => begun.push(at) }));
  return { requests, begun };
}

const rounds = async (count: number): Promise<void> => {
  for (let n = 0; n < count; n += 1) await round();
};

test("[PT26] a peer has 16 active requests by default, of an IPv6 network together; another peer's begins", async () => {
  const admission = open(defaultAdmissionLimits);
  const begun: string[] = [];
  for (let n = 0; n < 40; n += 1) admission.enter(`2001:db8::${n}`, { begin: () => begun.push("network") });
  admission.enter("192.0.2.1", { begin: () => begun.push("other") });
  await rounds(60);
  assert.deepEqual([begun.filter((each) => each === "network").length, begun.includes("other")], [16, true]);
});

test("[PT26] a request that leaves while it waits does not begin; its place goes to the next one", async () => {
  const { requests, begun } = enterAll(open(), "a", 5);
  await rounds(5);
  requests[2]?.leave();
  requests[0]?.leave();
  await rounds(5);
  assert.deepEqual(begun, [0, 1, 3]);
});

test("[PT26] streaming calls have a limit of their own and leave the places of other requests free", async () => {
  const admission = open();
  const stream = { begin: () => {}, isStreaming: true };
  const first = admission.enter("a", stream);
  assert.deepEqual([first !== undefined, admission.enter("a", stream)], [true, undefined]);
  const { begun } = enterAll(admission, "a", 2);
  await rounds(4);
  assert.deepEqual(begun, [0, 1]);
  first?.leave();
  assert.notEqual(admission.enter("a", stream), undefined);
});

test("[PT8] what a waiting request may receive counts towards the budget until the request begins", async () => {
  const admission = open();
  const { requests } = enterAll(admission, "a", 2);
  await rounds(3);
  const held = (heldBytes: number) => admission.enter("a", { begin: () => {}, heldBytes });
  assert.ok(held(40));
  assert.deepEqual([held(20), admission.bodyBytes], [undefined, 40]);
  requests[0]?.leave();
  await rounds(3);
  assert.equal(admission.bodyBytes, 0);
});

test("[PT28] a peer whose answers are not read begins no further request until they are", async () => {
  const admission = open();
  const { requests, begun } = enterAll(admission, "a", 1);
  requests[0]?.wrote(100);
  const more = enterAll(admission, "a", 1);
  const other = enterAll(admission, "b", 1);
  await rounds(3);
  assert.deepEqual([begun, more.begun, other.begun], [[0], [], [0]]);
  requests[0]?.sent(1);
  await rounds(3);
  assert.deepEqual(more.begun, [0]);
});

test("[PT28] an answer without progress for 10 s is stalled; one that was sent is not", () => {
  let nowMs = 5_000;
  const admission = new Admission(limits, { monotonic: () => nowMs });
  const request = admission.enter("a", { begin: () => {} });
  assert.equal(request?.isStalled(100_000), false);
  request?.wrote(30);
  nowMs = 12_000;
  request?.sent(10);
  assert.deepEqual([request?.isStalled(21_999), request?.isStalled(22_000), request?.unsentBytes], [false, true, 20]);
  request?.sent(20);
  assert.equal(request?.isStalled(99_000), false);
});

test("[PT17] a turn for work is given up when the request leaves", async () => {
  const admission = open();
  const [first, second] = [admission.enter("a", { begin: () => {} }), admission.enter("b", { begin: () => {} })];
  await rounds(2);
  assert.equal(await first?.nextTurn(), true);
  const turn = second?.nextTurn();
  second?.leave();
  assert.deepEqual([await turn, await second?.nextTurn()], [false, false]);
});

test("[PT8] idle peers are forgotten and those with requests are not", () => {
  const admission = open({ active: 1, waiting: 1 });
  const kept = enterAll(admission, "kept", 2);
  for (let peer = 0; peer < 3_000; peer += 1) admission.enter(String(peer), { begin: () => {} })?.leave();
  assert.equal(admission.enter("kept", { begin: () => {} }), undefined);
  assert.equal(kept.requests.length, 2);
});

test("[PT26] a request that is passed on makes place for another one, and its end for no second", async () => {
  const admission = open({ active: 1 });
  const begun: string[] = [];
  const enter = (name: string) => admission.enter("a", { begin: () => void begun.push(name) });
  const first = enter("first");
  enter("second");
  enter("third");
  await round();
  assert.deepEqual(begun, ["first"]);
  first?.pass();
  first?.pass();
  await round();
  assert.deepEqual(begun, ["first", "second"]);
  first?.leave();
  await round();
  assert.deepEqual(begun, ["first", "second"]);
});
