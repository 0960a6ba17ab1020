/** The longest line that is read, bytes without its line break. */
export const maxLineBytes = 131_072;

/** A line, or only the beginning of one that was too long. */
export type CommandFileLine = { readonly text: string; readonly tooLong: boolean };

/** What a line that was too long is known by, bytes. */
const keptOfLong = 256;

/**
 * Makes lines of bytes that come in pieces. What is no UTF-8 is replaced; of a line that is too long the rest is
 * dropped as it comes, so that no writer makes it hold more. Empty lines are none.
 */
export class LineSplitter {
  #pieces: Buffer[] = [];
  #length = 0;
  #beginning: string | undefined;

  /** The lines that `chunk` completes. */
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
    this.#beginning = Buffer.concat(this.#pieces).subarray(0, keptOfLong).toString();
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
