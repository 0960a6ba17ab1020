import type { MapEntry } from "./map-entries.ts";

/** Space between entries of one column, and between columns, px. */
const [rowGap, columnGap] = [8, 44];
/** Average width of a letter, and room beside a text for icon and padding. */
const [letterWidth, besideText] = [7.1, 36];

export type PlacedEntry = { readonly entry: MapEntry; readonly x: number; readonly y: number };

/** Line between the middles of two sides; `isIndirect`: there are objects between the two. */
type PlacedLine = { readonly id: string; readonly path: string; readonly isIndirect: boolean };

type MapLayout = {
  readonly height: number;
  readonly nodeWidth: number;
  /** Letters that fit into an entry. */
  readonly letters: number;
  readonly nodes: readonly PlacedEntry[];
  readonly lines: readonly PlacedLine[];
};

/**
 * Places the entries in three columns: what the object depends on, the object itself, and what depends on it. Each column
 * is centred, and the lines lead from left to right.
 *
 * @param indirect ids of entries that are not next to the object
 */
export function layOutMap(
  { above, own, below }: { above: readonly MapEntry[]; own: MapEntry; below: readonly MapEntry[] },
  { width, nodeHeight, indirect }: { width: number; nodeHeight: number; indirect: ReadonlySet<string> },
): MapLayout {
  const rowHeight = nodeHeight + rowGap;
  const columns = [above, [own], below].filter((column) => column.length > 0);
  const nodeWidth = Math.min(260, Math.floor((width - columnGap * (columns.length - 1)) / columns.length));
  const height = Math.max(...columns.map(({ length }) => length)) * rowHeight;
  const placed = columns.map((column, at) =>
    column.map((entry, row) => ({
      entry,
      x: at * (nodeWidth + columnGap),
      y: (height - column.length * rowHeight) / 2 + row * rowHeight + rowGap / 2,
    })),
  );
  const lines = placed.slice(1).flatMap((right, at) =>
    (placed[at] ?? []).flatMap((from) =>
      right.map((to) => ({
        id: `${from.entry.id} ${to.entry.id}`,
        path: lineOf(from, to, { nodeWidth, nodeHeight }),
        isIndirect: indirect.has(from.entry.id) || indirect.has(to.entry.id),
      })),
    ),
  );
  return {
    height,
    nodeWidth,
    letters: Math.floor((nodeWidth - besideText) / letterWidth),
    nodes: placed.flat(),
    lines,
  };
}

function lineOf(
  from: PlacedEntry,
  to: PlacedEntry,
  { nodeWidth, nodeHeight }: { nodeWidth: number; nodeHeight: number },
): string {
  const [x1, x2] = [from.x + nodeWidth, to.x];
  const [y1, y2] = [from.y + nodeHeight / 2, to.y + nodeHeight / 2];
  const middle = (x1 + x2) / 2;
  return `M${x1} ${y1}C${middle} ${y1} ${middle} ${y2} ${x2} ${y2}`;
}
