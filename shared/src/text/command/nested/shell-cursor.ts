import type { LineUnit } from "./command-text.ts";

/** Position in a shell line. */
export class ShellCursor {
  readonly #units: readonly LineUnit[];
  #at = 0;

  constructor(units: readonly LineUnit[]) {
    this.#units = units;
  }

  get isAtEnd(): boolean {
    return this.#at >= this.#units.length;
  }

  /** Character or macro value at the position; undefined at the end. */
  get unit(): LineUnit | undefined {
    return this.#units[this.#at];
  }

  /** Character at an offset from the position; undefined at the end and for a macro value. */
  char(offset = 0): string | undefined {
    const unit = this.#units[this.#at + offset];
    return unit?.kind === "char" ? unit.char : undefined;
  }

  startsWith(text: string): boolean {
    return [...text].every((char, offset) => this.char(offset) === char);
  }

  /** Consumes a text if it is at the position. */
  take(text: string): boolean {
    if (!this.startsWith(text)) return false;
    this.#at += text.length;
    return true;
  }

  skip(count = 1): void {
    this.#at += count;
  }

  /** Returns a function that moves back to the present position. */
  mark(): () => void {
    const at = this.#at;
    return () => {
      this.#at = at;
    };
  }

  /** Skips blanks, continued lines and a comment, one at a time. Returns false when there is none. */
  skipBlanks(): boolean {
    const char = this.char();
    if (char === " " || char === "\t" || char === "\r") return this.take(char);
    if (this.take("\\\n")) return true;
    if (char !== "#") return false;
    while (!this.isAtEnd && this.char() !== "\n") this.#at += 1;
    return true;
  }
}
