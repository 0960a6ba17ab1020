/** Text of the search field as the server takes it: a label selector, or a part of names and outputs. */
type SearchText = { readonly selector: string } | { readonly search: string };

const labelPresence = /^has:(\S+)$/;

/**
 * Parses the search field. Text with `=`, ` in (` or ` notin (`, or that begins with `!` or `@`, is a selector;
 * `has:rack` requires the label `rack`; everything else is searched for in names and outputs.
 */
export function parseSearchText(text: string): SearchText {
  const trimmed = text.trim();
  const label = labelPresence.exec(trimmed)?.[1];
  if (label !== undefined) return { selector: label };
  return isSelector(trimmed) ? { selector: trimmed } : { search: trimmed };
}

const isSelector = (text: string): boolean =>
  text.includes("=") || text.includes(" in (") || text.includes(" notin (") || /^[!@]/.test(text);

/** True for a selector that ends in the middle of a requirement, so that the server would refuse it. */
export const isIncomplete = (text: string): boolean =>
  /[=!(,@]\s*$/.test(text) || /\([^)]*$/.test(text) || /(?:^|,)\s*!?@\w*$/.test(text);
