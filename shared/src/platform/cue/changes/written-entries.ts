/**
 * Entries of a struct that are each written out once in a text, with offsets in UTF-16 units: labels, starts of the
 * labels and ends of the values, in the order of the text.
 */
export type WrittenEntries = {
  readonly text: string;
  readonly labels: readonly string[];
  readonly starts: readonly number[];
  readonly ends: readonly number[];
};
