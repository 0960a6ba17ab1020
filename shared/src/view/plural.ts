const rules = new Intl.PluralRules("en");

/** Form of a noun for a count: `one` for 1, else its plural. */
export const plural = (count: number, one: string): string => (rules.select(count) === "one" ? one : pluralOf(one));

function pluralOf(noun: string): string {
  if (noun === "child") return "children";
  if (/(?:s|ch)$/.test(noun)) return `${noun}es`;
  return /[^aeiou]y$/.test(noun) ? `${noun.slice(0, -1)}ies` : `${noun}s`;
}

/** Count with its noun: `1 object`, `3 policies`. */
export const counted = (count: number, one: string): string => `${count} ${plural(count, one)}`;
