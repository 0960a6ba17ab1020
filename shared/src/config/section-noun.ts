/** Sections of which an entry is not called as the section without its s. */
const nouns = new Map([
  ["notifications", "notification policy"],
  ["dependencies", "dependency"],
]);

/** Noun for an entry of a section, as messages name it. */
export const entryNoun = (section: string): string => nouns.get(section) ?? section.slice(0, -1);
