const rules = new Intl.PluralRules("en");

/** Form of a noun for a count: `one` for 1, else `several`, by default `one` with an s. */
export const plural = (count: number, one: string, several = `${one}s`): string =>
  rules.select(count) === "one" ? one : several;

/** Count with its noun: `1 object`, `3 objects`. */
export const counted = (count: number, one: string): string => `${count} ${plural(count, one)}`;
