/** Explanation of a refused selector. `position` is the index of the character that it is about, if the server names it. */
type RefusedSelector = { readonly message: string; readonly position: number | undefined };

/**
 * Parses the message of a server that refused a selector.
 *
 * @param sent the selector that was sent
 * @param typed the part of it that the search field has, which is its end
 */
export function parseSelectorError(message: string, sent: string, typed: string): RefusedSelector {
  const match = /^(?:selector: )?(.*), at character (\d+)$/s.exec(message);
  if (match === null) return { message, position: undefined };
  const position = Number(match[2]) - (sent.length - typed.length);
  return { message: match[1] ?? message, position: position < 0 ? undefined : position };
}
