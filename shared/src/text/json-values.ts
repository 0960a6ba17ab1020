/** True for an object of JSON data, a struct in CUE. */
export const isStruct = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Values of a JSON text, and the values of the longest list at one depth. */
type JsonValueCount = { readonly values: number; readonly entries: number };

const [quote, comma, backslash] = [0x22, 0x2c, 0x5c] as const;
const [openList, closeList, openObject, closeObject] = [0x5b, 0x5d, 0x7b, 0x7d] as const;

/**
 * Counts the values of a JSON text without decoding it, in time linear in its length: they may take fifty times as much
 * memory as the text. Of a malformed text the counts have no meaning.
 *
 * @param listDepth depth of the lists whose entries are counted; 1 is a list that is the whole text
 */
export function countJsonValues(text: Uint8Array, listDepth: number): JsonValueCount {
  let [values, depth, entries, longest] = [0, 0, 0, 0];
  let isList = false;
  let isText = false;
  for (let at = 0; at < text.length; at += 1) {
    const byte = text[at];
    if (byte === quote) isText = !isText;
    else if (isText) at += byte === backslash ? 1 : 0;
    else if (byte === closeList || byte === closeObject) depth -= 1;
    else if (byte === openList || byte === openObject) {
      depth += 1;
      values += 1;
      if (depth === listDepth) [isList, entries] = [byte === openList, 1];
    } else if (byte === comma) {
      values += 1;
      if (depth === listDepth) entries += 1;
      if (isList) longest = Math.max(longest, entries);
    }
  }
  return { values, entries: longest };
}
