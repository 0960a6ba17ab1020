/** Longest line, bytes without its line break. */
export const maxLineBytes = 131_072;

/** Line of the command file; of one that is too long, only the beginning. */
export type CommandFileLine = { readonly text: string; readonly tooLong: boolean };

/** Length of the beginning of a line that is too long, bytes. */
const beginningBytes = 256;

/**
 * Splits chunks of bytes into lines. Invalid UTF-8 is replaced; the rest of a line that is too long is dropped as it
 * arrives, so that memory is bounded. Empty lines are ignored.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;
  #beginning: string | undefined;

  /** Returns the lines that `chunk` completes. */
  take(chunk: Buffer): CommandFileLine[] {
    const lines: CommandFileLine[] = [];
    let from = 0;
    for (let at = chunk.indexOf(10); at >= 0; at = chunk.indexOf(10, from)) {
      this.#add(chunk.subarray(from, at));
      this.#end(lines);
      from = at + 1;
    }
    this.#add(chunk.subarray(from));
    return lines;
  }

  #add(piece: Buffer): void {
    if (this.#beginning !== undefined || piece.length === 0) return;
    this.#pieces.push(piece);
    this.#length += piece.length;
    if (this.#length <= maxLineBytes) return;
    this.#beginning = Buffer.concat(this.#pieces).subarray(0, beginningBytes).toString();
    this.#pieces = [];
  }

  #end(lines: CommandFileLine[]): void {
    const [only] = this.#pieces;
    const text = this.#beginning ?? (this.#pieces.length === 1 && only ? only : Buffer.concat(this.#pieces)).toString();
    if (text.trim() !== "") lines.push({ text, tooLong: this.#beginning !== undefined });
    this.#pieces = [];
    this.#length = 0;
    this.#beginning = undefined;
  }
}
