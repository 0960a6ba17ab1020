/** Entry of the command palette. */
export type PaletteEntry = {
  readonly id: string;
  readonly group: "Objects" | "Pages" | "Lists" | "Actions";
  readonly label: string;
  /** Text at the right: keys of a page, output of an object. */
  readonly detail?: string;
  readonly run: () => void;
};

/**
 * Entries whose label has every typed word, ignoring case; those where a word of the label begins with the first typed
 * word come first.
 */
export function filterEntries(entries: readonly PaletteEntry[], text: string): readonly PaletteEntry[] {
  const words = text.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const found = entries.filter(({ label }) => words.every((word) => label.toLowerCase().includes(word)));
  const [first] = words;
  if (first === undefined) return found;
  const begins = ({ label }: PaletteEntry): number =>
    label
      .toLowerCase()
      .split(/\s+/)
      .some((word) => word.startsWith(first))
      ? 0
      : 1;
  return found.toSorted((a, b) => begins(a) - begins(b));
}
