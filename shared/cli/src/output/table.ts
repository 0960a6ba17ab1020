import { styleText } from "node:util";
import { cutToWidth, displayWidth, printableText } from "./printable-text.ts";

/** Where answers are printed. */
export type Screen = {
  /** Columns of the terminal; undefined where it is none: then nothing is cut. */
  readonly columns: number | undefined;
  readonly colours: boolean;
  /** Unix ms. */
  readonly nowMs: number;
  /** IANA name of the zone that times are shown in. */
  readonly zone: string;
};

export type Colour = "red" | "yellow" | "green" | "magenta" | "cyan" | "gray" | "bold";
export type Cell = { readonly text: string; readonly colour?: Colour | undefined };
export type TextColumn<Row> = {
  readonly title: string;
  /** A text of any content; it is made safe to print. */
  cell(row: Row): string | Cell;
  /** May be cut where the terminal is too narrow. */
  readonly flexible?: boolean;
};

const gap = "  ";
/** A column is not cut below so many characters. */
const leastWidth = 8;

/** Rows under headings, as wide as the screen at most where flexible columns allow it. */
export function formatTable<Row>(columns: readonly TextColumn<Row>[], rows: readonly Row[], screen: Screen): string {
  const heading = columns.map(({ title }): Cell => ({ text: title, colour: "bold" }));
  const body = rows.map((row) => columns.map((column) => plainCell(column.cell(row))));
  const lines = [heading, ...body];
  const widths = columns.map((_, at) => Math.max(...lines.map((cells) => displayWidth(cells[at]?.text ?? ""))));
  narrow(widths, columns, screen.columns);
  return lines.map((cells) => formatLine(cells, widths, screen.colours)).join("\n");
}

function plainCell(cell: string | Cell): Cell {
  return typeof cell === "string" ? { text: printableText(cell) } : { ...cell, text: printableText(cell.text) };
}

/** Takes from the widest flexible column, one by one, until the table fits or nothing is left to take. */
function narrow<Row>(widths: number[], columns: readonly TextColumn<Row>[], limit: number | undefined): void {
  if (limit === undefined) return;
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - limit;
  for (; excess > 0; excess -= 1) {
    const able = widths.map((width, at) => (columns[at]?.flexible === true && width > leastWidth ? width : 0));
    const widest = able.indexOf(Math.max(...able));
    if ((able[widest] ?? 0) === 0) return;
    widths[widest] = (widths[widest] ?? 0) - 1;
  }
}

function formatLine(cells: readonly Cell[], widths: readonly number[], colours: boolean): string {
  const shown = cells.map(({ text, colour }, at) => {
    const cut = cutToWidth(text, widths[at] ?? 0);
    const isLast = at === cells.length - 1;
    const padding = isLast ? "" : " ".repeat((widths[at] ?? 0) - displayWidth(cut));
    return paint(cut, colours ? colour : undefined) + padding;
  });
  return shown.join(gap).trimEnd();
}

/** A text in a colour. @param colour undefined leaves it plain */
export const paint = (text: string, colour: Colour | undefined): string =>
  colour === undefined || text === "" ? text : styleText(colour, text, { validateStream: false });
