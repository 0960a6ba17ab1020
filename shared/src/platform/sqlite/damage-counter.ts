/** Maximum number of distinct records remembered, so that reading a damaged record again does not count it again. */
const maxCounted = 1_000;

/**
 * Counts the records that were damaged when they were read, each once.
 *
 * @param onFirst called once, with the first damaged record
 */
export function damageCounter(onFirst: (description: string) => void) {
  const known = new Set<string>();
  return {
    /** Counts a record by its description, such as `history record 7`. */
    add(description: string): void {
      if (known.size === 0) onFirst(description);
      if (known.size < maxCounted) known.add(description);
    },
    /** Number of distinct damaged records, at most 1000. */
    count: (): number => known.size,
  };
}
