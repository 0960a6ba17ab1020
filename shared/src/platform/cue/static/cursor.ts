import type { SpanRecorder } from "./span-recorder.ts";
import type { LabelOrders } from "./unify.ts";

/** Parser state within one file. */
export type StaticCursor = {
  readonly text: string;
  /** Offset in UTF-16 units. */
  at: number;
  depth: number;
  readonly labelOrders: LabelOrders;
  /** Recorder of the current path's spans; undefined when they are not requested. */
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

/** UTF-16 unit at the cursor; NaN after the end. */
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

/** Separator after a value. CUE treats the end of a line as a comma. */
type Separator = "comma" | "line" | "none";

/** Consumes the separator, blanks and comments after a value. */
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
