import assert from "node:assert/strict";
import { test } from "node:test";
import type { JournalTerm } from "../../journal/shipping/journal-position.ts";
import { type JournalRelation, journalLength, relationOf } from "./journal-relation.ts";

/** A journal in which each group has two history records: its terms as `<number><member>@<from>`, and its position. */
function journal(text: string, position: number) {
  const before = (at: number) => ({ command: 0, history: at * 2, audit: 0 });
  const terms = text.split(" ").flatMap((part): JournalTerm[] => {
    const [, term, member = "", from] = /^(\d+)(\w)@(\d+)$/.exec(part) ?? [];
    return from === undefined
      ? []
      : [{ term: Number(term), member, from: Number(from), before: before(Number(from) - 1) }];
  });
  return { position, terms, counters: before(position) };
}
const diverged = (position: number, historySeq: number): JournalRelation => ({
  kind: "diverged",
  position,
  historySeq,
});

const rows: readonly [
  what: string,
  mine: ReturnType<typeof journal>,
  theirs: ReturnType<typeof journal>,
  relation: JournalRelation,
][] = [
  ["equal", journal("1a@1", 9), journal("1a@1", 9), { kind: "same" }],
  ["behind in the term", journal("1a@1", 5), journal("1a@1", 9), { kind: "behind" }],
  ["behind by a term", journal("1a@1", 5), journal("1a@1 2b@6", 9), { kind: "behind" }],
  ["behind by two terms", journal("1a@1", 5), journal("1a@1 2b@6 3a@8", 9), { kind: "behind" }],
  ["ends where the next term begins", journal("1a@1", 5), journal("1a@1 2b@6", 6), { kind: "behind" }],
  ["one group alone", journal("1a@1", 6), journal("1a@1 2b@6", 9), diverged(5, 10)],
  ["more groups alone than the other has", journal("1a@1", 20), journal("1a@1 2b@6", 9), diverged(5, 10)],
  ["a term alone", journal("1a@1 2a@6", 8), journal("1a@1", 5), diverged(5, 10)],
  ["a term alone, the other went on", journal("1a@1 2a@4", 8), journal("1a@1 3b@6", 9), diverged(3, 6)],
  ["both began a term at one position", journal("1a@1 2a@6", 8), journal("1a@1 3b@6", 9), diverged(5, 10)],
  ["both began the same term number", journal("1a@1 2a@6", 8), journal("1a@1 2b@6", 9), diverged(5, 10)],
  ["an older copy of the active member's", journal("1a@1", 9), journal("1a@1", 5), diverged(5, 10)],
  ["oldest terms no longer listed", journal("2b@6 3a@8", 9), journal("3a@8 4b@10", 12), { kind: "behind" }],
  ["no term in common", journal("1a@1", 3), journal("2b@1", 9), diverged(0, 0)],
  ["no term in common after records without a pair", journal("1a@4", 6), journal("2b@1", 9), diverged(0, 6)],
  ["never in a pair", journal("", 4), journal("2b@1", 9), diverged(0, 8)],
  ["empty", journal("", 0), journal("2b@1", 9), diverged(0, 0)],
];
for (const [what, mine, theirs, relation] of rows)
  test(`[PA33] relation of a journal: ${what}`, () => assert.deepEqual(relationOf(mine, theirs), relation));

test("[PA10] the journal of an agent that ran alone is longer than an empty one", () => {
  const empty = { position: 0, counters: { command: 0, history: 0, audit: 0 }, empty: true };
  assert.equal(journalLength(empty), 0);
  assert.equal(journalLength({ ...empty, empty: false }), 1);
  assert.equal(journalLength({ ...empty, empty: false, counters: { command: 2, history: 70, audit: 3 } }), 70);
  assert.equal(
    journalLength({ ...empty, empty: false, position: 5, counters: { command: 2, history: 70, audit: 3 } }),
    5,
  );
});
