import { type Token, tokensOf } from "../source/tokens.ts";

const end: Token = { kind: "end", text: "", at: 0 };

/** Tokens of one document with a read position. */
export class CueTokenCursor {
  readonly tokens: readonly Token[];
  at = 0;

  constructor(text: string) {
    this.tokens = tokensOf(text);
  }

  peek(ahead = 0): Token {
    return this.tokens[this.at + ahead] ?? this.tokens.at(-1) ?? end;
  }

  isMark(text: string, ahead = 0): boolean {
    const token = this.peek(ahead);
    return token.kind === "mark" && token.text === text;
  }

  skipLineEnds(): void {
    while (this.peek().kind === "newline") this.at += 1;
  }

  /** Skips what separates two declarations: a comma or the end of a line, and then empty lines. */
  skipSeparator(): void {
    if (this.isMark(",")) this.at += 1;
    this.skipLineEnds();
  }

  /** Index after the bracket that closes the one at `from`; undefined when brackets do not match. */
  closing(from: number): number | undefined {
    const open: string[] = [];
    for (let at = from; at < this.tokens.length; at += 1) {
      const { kind, text } = this.tokens[at] ?? end;
      if (kind !== "mark") continue;
      const closer = closers[text];
      if (closer !== undefined) open.push(closer);
      else if (text === "}" || text === "]" || text === ")") {
        if (open.pop() !== text) return undefined;
        if (open.length === 0) return at + 1;
      }
    }
    return undefined;
  }

  /** Moves behind the declaration at the cursor, before its separator. Returns false when brackets do not match. */
  skipDeclaration(): boolean {
    for (;;) {
      const token = this.peek();
      if (token.kind === "end" || (token.kind === "newline" && this.#endsOperand())) return true;
      if (token.kind === "mark") {
        if (token.text === ",") return true;
        if (token.text === "}" || token.text === "]" || token.text === ")") return true;
        if (closers[token.text] !== undefined) {
          const after = this.closing(this.at);
          if (after === undefined) return false;
          this.at = after;
          continue;
        }
      }
      this.at += 1;
    }
  }

  /** True when CUE reads the end of the line at the cursor as a comma. */
  #endsOperand(): boolean {
    const before = this.tokens[this.at - 1];
    if (before === undefined || before.kind === "newline") return false;
    if (before.kind === "word") return !unfinishedWords.has(before.text);
    return before.kind !== "mark" || finishedMarks.has(before.text);
  }
}

const closers: Readonly<Record<string, string>> = { "{": "}", "[": "]", "(": ")" };
const finishedMarks: ReadonlySet<string> = new Set(["}", "]", ")", "...", "?"]);
/** Words that never end a declaration. */
const unfinishedWords: ReadonlySet<string> = new Set("package import for in if let div mod quo rem".split(" "));
