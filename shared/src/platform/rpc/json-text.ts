const decoder = new TextDecoder("utf-8", { fatal: true });
const surrogatePair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;
const surrogate = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Decodes the bytes of a JSON text. Invalid UTF-8 and unpaired surrogate escapes (`\ud800`) would silently become
 * U+FFFD later, so that a command would name another object than the caller meant.
 *
 * @throws TypeError for invalid UTF-8 or an unpaired surrogate
 */
export function decodeJsonText(bytes?: Uint8Array): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new TypeError("the JSON text is not valid UTF-8");
  }
  if (surrogate.test(text) && surrogate.test(text.replaceAll("\\\\", "").replace(surrogatePair, ""))) {
    throw new TypeError("the JSON text has an unpaired surrogate escape");
  }
  return text;
}
