/** Last assigned sequence numbers of a journal. */
export type JournalCounters = { readonly command: number; readonly history: number; readonly audit: number };

/** Beginning of a term: of the time in which one member of the pair was active. */
export type JournalTerm = {
  readonly term: number;
  /** Name of the member that became active. */
  readonly member: string;
  /** Position of the first group of the term. */
  readonly from: number;
  /** Counters before that group. */
  readonly before: JournalCounters;
};

/** End of a journal that belongs to a pair. */
export type JournalPosition = {
  /** Number of groups that the journal has committed since it belongs to a pair; 0 before the first. */
  readonly position: number;
  /** Newest terms, in order; at most `maxJournalTerms`. */
  readonly terms: readonly JournalTerm[];
  readonly counters: JournalCounters;
  /** True when nothing was ever stored. */
  readonly empty: boolean;
};

/** Most terms that a journal lists. */
export const maxJournalTerms = 200;
