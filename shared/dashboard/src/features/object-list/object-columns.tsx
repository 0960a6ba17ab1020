import { ImpactLink } from "../../components/object/impact-link.tsx";
import { LateText, MutedAge, MuteReasons } from "../../components/object/mute-texts.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { hasMarks, ObjectMarks } from "../../components/object/object-marks.tsx";
import { PendingCommandMarks } from "../../components/object/pending-marks.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import type { TableColumn } from "../../components/table/table-column.ts";
import { Age } from "../../components/time/time-text.tsx";

/** All columns of object lists. */
const itemColumns = {
  state: {
    header: "State",
    sortable: true,
    cell: (item) => <ItemStatus item={item} />,
  },
  since: { header: "Since", number: true, sortable: true, cell: (item) => <Age atMs={item.sinceMs} /> },
  object: {
    header: "Object",
    sortable: true,
    cell: (item) => (
      <>
        <ObjectLink realm={item.realm} object={item.key} />
        <ImpactLink item={item} />
        <StaleMark realm={item.realm} />
      </>
    ),
  },
  output: { header: "Output", cell: (item) => <span className="output-lines">{item.row.output}</span> },
  marks: {
    header: "Marks",
    isEmpty: (item) => !hasMarks(item),
    cell: (item) => (
      <span className="marks">
        <ObjectMarks item={item} />
        <PendingCommandMarks item={item} />
      </span>
    ),
  },
  realm: { header: "Realm", sortable: true, cell: (item) => item.realm },
  attempt: {
    header: "Attempt",
    cell: ({ row, soft }) => (
      <span className={soft ? "attempt is-soft" : "attempt"}>
        {row.attempt}/{row.maxAttempts} {soft ? "soft" : "hard"}
      </span>
    ),
  },
  checked: {
    header: "Checked",
    number: true,
    sortable: true,
    cell: (item) => <Age atMs={item.lastCheckAtMs} />,
  },
  late: { header: "Late", cell: ({ row }) => <LateText row={row} /> },
  mutedBy: { header: "Muted by", cell: ({ row }) => <MuteReasons row={row} /> },
  mutedSince: { header: "For", number: true, cell: ({ row }) => <MutedAge row={row} /> },
} satisfies Readonly<Record<string, Omit<TableColumn, "id">>>;

export type ColumnId = keyof typeof itemColumns;

/** Ids of all columns. */
export const columnIds = Object.keys(itemColumns) as readonly ColumnId[];

export const columnName = (id: ColumnId): string => itemColumns[id].header;

/** Columns of a search parameter, the object always among them; undefined when it names none. */
export function parseColumns(text: string | undefined): readonly ColumnId[] | undefined {
  const named = (text?.split(",") ?? []).filter((id): id is ColumnId => Object.hasOwn(itemColumns, id));
  if (named.length === 0) return undefined;
  return named.includes("object") ? named : [...named, "object"];
}

/** Columns by id, in the given order. An agent has no realm column, because it has one realm. */
export const columnsOf = (ids: readonly ColumnId[], aggregator: boolean): readonly TableColumn[] =>
  ids.filter((id) => aggregator || id !== "realm").map((id) => ({ id, ...itemColumns[id] }));
