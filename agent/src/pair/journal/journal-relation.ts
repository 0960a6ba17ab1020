import type { JournalPosition, JournalTerm } from "../../journal/shipping/journal-position.ts";

/** End of a journal, as far as two journals are compared. */
type JournalEnd = Pick<JournalPosition, "position" | "terms" | "counters">;

/**
 * Length of a journal, by which two members that start for the first time agree on the one that begins. An agent that ran
 * alone has counted no groups: its last numbers stand for them.
 */
export const journalLength = ({ position, counters, empty }: Omit<JournalPosition, "terms">): number =>
  position > 0 ? position : Math.max(empty ? 0 : 1, ...Object.values(counters));

/**
 * Relation of a member's journal to that of the active member. `same` and `behind`: all groups are the active member's.
 * `diverged`: the member has groups that the active member lacks, or the two journals never had a term in common.
 */
export type JournalRelation =
  | { readonly kind: "same" | "behind" }
  | {
      readonly kind: "diverged";
      /** Last position that both have in common; 0 for none. */
      readonly position: number;
      /** Last history record before the member's own ones. */
      readonly historySeq: number;
    };

/** Compares a member's journal with that of the active member. */
export function relationOf(mine: JournalEnd, theirs: JournalEnd): JournalRelation {
  const common = mine.terms.findLastIndex((term) => theirs.terms.some((other) => isSame(term, other)));
  const shared = mine.terms[common];
  // Without a common term, what was written since the first own term is the member's own. A journal without a term was
  // never a part of a pair: nothing of it is merged.
  if (shared === undefined)
    return { kind: "diverged", position: 0, historySeq: mine.terms[0]?.before.history ?? mine.counters.history };
  const ends = [
    endOf(mine, mine.terms[common + 1]),
    endOf(theirs, theirs.terms[theirs.terms.findIndex((other) => isSame(shared, other)) + 1]),
  ] as const;
  const end = ends[0].position <= ends[1].position ? ends[0] : ends[1];
  if (end.position < mine.position) return { kind: "diverged", ...end };
  return { kind: mine.position === theirs.position ? "same" : "behind" };
}

const isSame = (a: JournalTerm, b: JournalTerm): boolean =>
  a.term === b.term && a.member === b.member && a.from === b.from && a.before.history === b.before.history;

/** End of a term: the last group before the next one, or the end of the journal. */
const endOf = ({ position, counters }: JournalEnd, next: JournalTerm | undefined) =>
  next === undefined
    ? { position, historySeq: counters.history }
    : { position: next.from - 1, historySeq: next.before.history };
