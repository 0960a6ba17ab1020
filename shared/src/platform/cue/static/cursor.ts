import type { SpanRecorder } from "./span-recorder.ts";
import type { LabelOrders } from "./unify.ts";

/** A reader's place in one file. */
export type StaticCursor = {
  readonly text: string;
  /** UTF-16 units. */
  at: number;
  depth: number;
  readonly labelOrders: LabelOrders;
  /** Where to note what is read here; undefined where nobody asked. */
  recorder: SpanRecorder | undefined;
};

export const charCodes = {
  tab: 9,
  newline: 10,
  carriageReturn: 13,
  space: 32,
  quote: 34,
  dollar: 36,
  comma: 44,
  minus: 45,
  slash: 47,
  zero: 48,
  nine: 57,
  colon: 58,
  openList: 91,
  backslash: 92,
  closeList: 93,
  underscore: 95,
  lowerA: 97,
  lowerZ: 122,
  openStruct: 123,
  closeStruct: 125,
} as const;

/** The UTF-16 unit at the cursor; NaN, which equals nothing, behind the end. */
export const charCodeAt = (c: StaticCursor): number => c.text.charCodeAt(c.at);

export function skipCueBlanks(c: StaticCursor): void {
  for (
    let here = charCodeAt(c);
    here === charCodes.space || here === charCodes.tab || here === charCodes.carriageReturn;
    here = charCodeAt(c)
  )
    c.at += 1;
}

/** Skips blanks, line ends and comments. */
export function skipLines(c: StaticCursor): void {
  for (;;) {
    skipCueBlanks(c);
    if (charCodeAt(c) === charCodes.newline) c.at += 1;
    else if (atComment(c)) {
      const end = c.text.indexOf("\n", c.at);
      c.at = end < 0 ? c.text.length : end;
    } else return;
  }
}

const atComment = (c: StaticCursor): boolean =>
  charCodeAt(c) === charCodes.slash && c.text.charCodeAt(c.at + 1) === charCodes.slash;

/** What parts a value from the next: a comma, the end of the line (a comma too, CUE thinks), or nothing. */
export type Separator = "comma" | "line" | "none";

/** Reads what follows a value, up to the next word or bracket. */
export function readSeparator(c: StaticCursor): Separator {
  skipCueBlanks(c);
  if (charCodeAt(c) === charCodes.comma) {
    c.at += 1;
    skipLines(c);
    return "comma";
  }
  if (charCodeAt(c) !== charCodes.newline && !atComment(c)) return "none";
  skipLines(c);
  return "line";
}
