/** So many are told apart: who reads the same page again must not count its damage again. */
const mostCounted = 1_000;

/** Records that were found damaged when they were read, each counted once. */
export type DamageCounter = {
  /** Notes one by its name, such as `history record 7`. */
  add(what: string): void;
  /** 0 to 1000: what is beyond that is not counted. */
  count(): number;
};

/** @param first called with the first one that is found, and never again: one is reason enough to look */
export function damageCounter(first: (what: string) => void): DamageCounter {
  const known = new Set<string>();
  return {
    add(what) {
      if (known.size === 0) first(what);
      if (known.size < mostCounted) known.add(what);
    },
    count: () => known.size,
  };
}
