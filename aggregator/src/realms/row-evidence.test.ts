import assert from "node:assert/strict";
import { test } from "node:test";
import fc from "fast-check";
import { RowEvidence } from "./row-evidence.ts";

/** Distinct digest terms by object and version; any injective function serves. */
const term = (object: number, version: number): bigint =>
  version === 0 ? 0n : BigInt.asUintN(64, BigInt(object * 1_000 + version) * 0x9e3779b97f4a7c15n);

type Message = { readonly object: number; readonly deleted: boolean };
type Held = { published: number; term: bigint };

/** Digest and number of the rows after the first `count` messages, as a realm computes them. */
function claimAfter(messages: readonly Message[], count: number) {
  const rows = new Map<number, bigint>();
  for (const [at, { object, deleted }] of messages.slice(0, count).entries())
    if (deleted) rows.delete(object);
    else rows.set(object, term(object, at + 1));
  const digest = [...rows.values()].reduce((sum, one) => sum ^ one, 0n);
  return { epoch: 1, published: count, rows: rows.size, digest };
}

/** Applies message `at`, unless a newer one of the object is held. */
function apply(evidence: RowEvidence, held: Map<number, Held>, messages: readonly Message[], at: number): void {
  const { object, deleted } = messages[at] as Message;
  const known = held.get(object) ?? { published: 0, term: 0n };
  if (known.published > at + 1) return;
  const after = deleted ? 0n : term(object, at + 1);
  evidence.record({ termBefore: known.term, termAfter: after, epoch: 1, published: at + 1 });
  held.set(object, { published: at + 1, term: after });
}

const messagesOf = fc.array(fc.record({ object: fc.nat(5), deleted: fc.boolean() }), { maxLength: 40 });

test("[FD1] a reader of all messages in order matches every claim, whatever it has read beyond it", () => {
  fc.assert(
    fc.property(messagesOf, fc.nat(40), (messages, covered) => {
      const claim = claimAfter(messages, Math.min(covered, messages.length));
      const evidence = new RowEvidence();
      const held = new Map<number, Held>();
      for (const at of messages.keys()) {
        apply(evidence, held, messages, at);
        if (at + 1 >= claim.published) assert.equal(evidence.matches(claim), true);
      }
    }),
  );
});

test("[FD1] claims that were compared are forgotten, and later ones still match", () => {
  fc.assert(
    fc.property(messagesOf, (messages) => {
      const evidence = new RowEvidence();
      const held = new Map<number, Held>();
      for (const at of messages.keys()) {
        apply(evidence, held, messages, at);
        const claim = claimAfter(messages, at);
        assert.equal(evidence.matches(claim), true);
        evidence.forgetUpTo(claim);
      }
    }),
  );
});

test("[FD2] a message that was lost shows, unless a later one of the same object replaced it", () => {
  fc.assert(
    fc.property(messagesOf, fc.nat(39), (messages, lost) => {
      fc.pre(lost < messages.length);
      const evidence = new RowEvidence();
      const held = new Map<number, Held>();
      for (const at of messages.keys()) if (at !== lost) apply(evidence, held, messages, at);
      const { object, deleted } = messages[lost] as Message;
      const isReplaced = messages.some((other, at) => at > lost && other.object === object);
      const wasHeld = claimAfter(messages, lost).digest !== claimAfter(messages, lost + 1).digest;
      const expected = isReplaced || (deleted && !wasHeld);
      assert.equal(evidence.matches(claimAfter(messages, messages.length)), expected);
    }),
  );
});
