import { styleText } from "node:util";
import { cutToWidth, displayWidth, printableText } from "./printable-text.ts";

/** Terminal or file that output is printed to. */
export type Screen = {
  /** Width of the terminal in columns; undefined without a terminal, then nothing is cut. */
  readonly columns: number | undefined;
  readonly colours: boolean;
  /** True for `-output wide`: tables have all their columns, and nothing is cut. */
  readonly wide?: boolean;
  /** Current time, Unix ms. */
  readonly nowMs: number;
  /** IANA name of the zone of printed times. */
  readonly zone: string;
};

export type Colour = "red" | "yellow" | "green" | "magenta" | "cyan" | "gray" | "bold";
export type Cell = { readonly text: string; readonly colour?: Colour | undefined };
export type TextColumn<Row> = {
  readonly title: string;
  /** Content of a cell; any text is allowed, the table makes it safe to print. */
  cell(row: Row): string | Cell;
  /** True when the column may be cut on a narrow terminal. */
  readonly flexible?: boolean;
  /** True when the column is shown with `-output wide` only. */
  readonly wideOnly?: boolean;
};

/** Column with the realm of each row; left out when no row has one, as on an agent. */
export function realmColumns<Row>(rows: readonly Row[], realmOf: (row: Row) => string): readonly TextColumn<Row>[] {
  return rows.some((row) => realmOf(row) !== "") ? [{ title: "REALM", cell: realmOf }] : [];
}

const gap = "  ";
/** Width below which a column is not cut, in characters. */
const minimumWidth = 8;

/** Formats rows under headings. Flexible columns are cut until the table fits the screen. */
export function formatTable<Row>(all: readonly TextColumn<Row>[], rows: readonly Row[], screen: Screen): string {
  const columns = all.filter(({ wideOnly }) => wideOnly !== true || screen.wide === true);
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

/** Shrinks the widest flexible column by one, repeatedly, until the table fits or no column can shrink. */
function narrow<Row>(widths: number[], columns: readonly TextColumn<Row>[], limit: number | undefined): void {
  if (limit === undefined) return;
  let excess = widths.reduce((sum, width) => sum + width, 0) + gap.length * (widths.length - 1) - limit;
  for (; excess > 0; excess -= 1) {
    const able = widths.map((width, at) => (columns[at]?.flexible === true && width > minimumWidth ? width : 0));
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

/** Colours a text. @param colour undefined returns the text unchanged */
export const paint = (text: string, colour: Colour | undefined): string =>
  colour === undefined || text === "" ? text : styleText(colour, text, { validateStream: false });
