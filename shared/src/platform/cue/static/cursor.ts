import type { Fronts } from "./unify.ts";
import type { Watch } from "./span-recorder.ts";

/** A reader's place in one file. */
export type Cursor = {
  readonly text: string;
  /** UTF-16 units. */
  at: number;
  depth: number;
  readonly fronts: Fronts;
  /** Where to note what is read here; undefined where nobody asked. */
  watch: Watch | undefined;
};

export const code = {
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
export const unit = (c: Cursor): number => c.text.charCodeAt(c.at);

export function skipBlanks(c: Cursor): void {
  for (let here = unit(c); here === code.space || here === code.tab || here === code.carriageReturn; here = unit(c))
    c.at += 1;
}

/** Skips blanks, line ends and comments. */
export function skipLines(c: Cursor): void {
  for (;;) {
    skipBlanks(c);
    if (unit(c) === code.newline) c.at += 1;
    else if (atComment(c)) {
      const end = c.text.indexOf("\n", c.at);
      c.at = end < 0 ? c.text.length : end;
    } else return;
  }
}

const atComment = (c: Cursor): boolean => unit(c) === code.slash && c.text.charCodeAt(c.at + 1) === code.slash;

/** What parts a value from the next: a comma, the end of the line (a comma too, CUE thinks), or nothing. */
export type Separator = "comma" | "line" | "none";

/** Reads what follows a value, up to the next word or bracket. */
export function separator(c: Cursor): Separator {
  skipBlanks(c);
  if (unit(c) === code.comma) {
    c.at += 1;
    skipLines(c);
    return "comma";
  }
  if (unit(c) !== code.newline && !atComment(c)) return "none";
  skipLines(c);
  return "line";
}
