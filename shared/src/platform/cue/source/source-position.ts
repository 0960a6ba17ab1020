/** One file of a document. Diagnostics use its name. */
export type CueFile = { readonly name: string; readonly text: string };

/** Position in a document. `file` is an index into the document's files; line and column count from 1. */
export type SourcePosition = { readonly file: number; readonly line: number; readonly column: number };

export const isSamePosition = (a: SourcePosition, b: SourcePosition): boolean =>
  a.file === b.file && a.line === b.line && a.column === b.column;

/** Creates a function from offsets (UTF-16 units) to lines and columns. Columns count characters, a tab as one. */
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
    return { line: low + 1, column: countCharacters(text.slice(starts[low], offset)) + 1 };
  };
}

const countCharacters = (text: string): number => [...text.replace(/^\uFEFF/, "")].length;

/** Converts a column in bytes, as CUE counts it, to a column in characters. `line` and both columns count from 1. */
export function columnFromBytes(lines: readonly string[], line: number, byteColumn: number): number {
  const bytes = new TextEncoder().encode(lines[line - 1] ?? "").subarray(0, byteColumn - 1);
  return countCharacters(new TextDecoder().decode(bytes)) + 1;
}
