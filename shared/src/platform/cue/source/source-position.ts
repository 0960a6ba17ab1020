/** One file of a document, under the name its diagnostics carry. */
export type CueFile = { readonly name: string; readonly text: string };

/** Where something stands. `file` is an index into the document's files; line and column count from 1. */
export type Place = { readonly file: number; readonly line: number; readonly column: number };

/** Turns offsets of one text (UTF-16 units) into lines and columns; columns count characters, a tab as one. */
export function lineIndex(text: string): (offset: number) => { readonly line: number; readonly column: number } {
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (offset) => {
    let low = 0;
    let high = starts.length - 1;
    while (low < high) {
      const middle = (low + high + 1) >> 1;
      if ((starts[middle] as number) <= offset) low = middle;
      else high = middle - 1;
    }
    return { line: low + 1, column: characters(text.slice(starts[low], offset)) + 1 };
  };
}

const characters = (text: string): number => [...text.replace(/^\uFEFF/, "")].length;

/** CUE counts a column in bytes; this makes it characters. `line` and `byteColumn` count from 1. */
export function columnOfBytes(lines: readonly string[], line: number, byteColumn: number): number {
  const bytes = new TextEncoder().encode(lines[line - 1] ?? "").subarray(0, byteColumn - 1);
  return characters(new TextDecoder().decode(bytes)) + 1;
}
