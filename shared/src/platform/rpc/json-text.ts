const decoder = new TextDecoder("utf-8", { fatal: true });
const surrogatePair = /\\u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}/g;
const surrogate = /\\u[dD][89a-fA-F][0-9a-fA-F]{2}/;

/**
 * Decodes the bytes of a JSON text. Bytes that are no UTF-8 and escapes of half a character (`\ud800`) would turn
 * silently into U+FFFD further on, so that a command would name another object than the caller meant.
 *
 * @throws TypeError where the text is not whole
 */
export function decodeJsonText(bytes?: Uint8Array): string {
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    throw new TypeError("the JSON text is not valid UTF-8");
  }
  if (surrogate.test(text) && surrogate.test(text.replaceAll("\\\\", "").replace(surrogatePair, ""))) {
    throw new TypeError("the JSON text has an escape of half a character");
  }
  return text;
}
