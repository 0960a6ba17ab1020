/** Suggestion for the search field: `text` is the whole field after it was chosen, `label` what it adds. */
export type Suggestion = { readonly label: string; readonly text: string };

const maxSuggestions = 8;
const bareValue = /^[\w.:/-]+$/;

/**
 * Suggests label keys and values for the requirement at the end of a selector.
 *
 * @param text the field's text up to the caret
 * @param labels values of each label, by its key
 */
export function suggestSelector(text: string, labels: ReadonlyMap<string, readonly string[]>): readonly Suggestion[] {
  const start = startOfRequirement(text);
  const [before, requirement] = [text.slice(0, start), text.slice(start)];
  const inList = /^(\s*!?\s*)?([@\w./-]+)\s+(?:not)?in\s+\((?:[^)]*,)?\s*([^,)]*)$/.exec(requirement);
  const equals = /^\s*([@\w./-]+)\s*(?:==|!=|=)\s*(\S*)$/.exec(requirement);
  const [key, prefix] = inList ? [inList[2], inList[3]] : equals ? [equals[1], equals[2]] : [];
  if (key !== undefined && prefix !== undefined) {
    const head = text.slice(0, text.length - prefix.length);
    return startingWith(labels.get(key) ?? [], prefix).map((value) => ({ label: value, text: head + quoted(value) }));
  }
  const bare = /^(\s*(?:!|has:)?\s*)([@\w./-]+|)$/.exec(requirement);
  if (bare === null || requirement.trim() === "") return [];
  const [, lead = "", keyPrefix = ""] = bare;
  const suffix = lead.trim() === "" ? "=" : "";
  const names = [...labels.keys()].map((name) => `${name}${suffix}`);
  return startingWith(names, keyPrefix).map((name) => ({ label: name, text: `${before}${lead}${name}` }));
}

/** Index at which the last requirement begins: after the last comma outside of parentheses. */
function startOfRequirement(text: string): number {
  let depth = 0;
  let start = 0;
  for (const [at, letter] of [...text].entries()) {
    if (letter === "(") depth++;
    else if (letter === ")") depth--;
    else if (letter === "," && depth === 0) start = at + 1;
  }
  return start;
}

/** Words that begin with a prefix, ignoring case; a word that is complete already is left out. */
const startingWith = (words: readonly string[], prefix: string): readonly string[] =>
  words
    .filter((word) => word !== prefix && word.toLowerCase().startsWith(prefix.toLowerCase()))
    .slice(0, maxSuggestions);

const quoted = (value: string): string => (bareValue.test(value) ? value : JSON.stringify(value));
