import { ObjectLink, ObjectName } from "../../components/object/object-link.tsx";
import { ObjectMarks } from "../../components/object/object-marks.tsx";
import { PendingCommandMarks } from "../../components/object/pending-marks.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { ItemStatus } from "../../components/status/item-status.tsx";
import type { TableColumn } from "../../components/table/table-column.ts";
import { TimeAgo } from "../../components/time/time-text.tsx";

/** All columns of object lists. */
const itemColumns = {
  state: {
    header: "State",
    sortable: true,
    cell: (item) => <ItemStatus item={item} />,
  },
  since: { header: "Since", sortable: true, cell: (item) => <TimeAgo atMs={item.sinceMs} /> },
  object: {
    header: "Object",
    sortable: true,
    cell: (item) => (
      <>
        <ObjectLink realm={item.realm} object={item.key}>
          <ObjectName object={item.key} />
        </ObjectLink>
        <StaleMark realm={item.realm} />
      </>
    ),
  },
  output: { header: "Output", cell: (item) => <span className="output-lines">{item.row.output}</span> },
  realm: { header: "Realm", sortable: true, cell: (item) => item.realm },
  attempt: {
    header: "Attempt",
    cell: ({ row, soft }) => (
      <span className={soft ? "attempt is-soft" : "attempt"}>
        {row.attempt}/{row.maxAttempts} {soft ? "soft" : "hard"}
      </span>
    ),
  },
  checked: { header: "Checked", sortable: true, cell: (item) => <TimeAgo atMs={item.lastCheckAtMs} suffix=" ago" /> },
  marks: {
    header: "Marks",
    cell: (item) => (
      <span className="marks">
        <ObjectMarks item={item} />
        <PendingCommandMarks item={item} />
      </span>
    ),
  },
} satisfies Readonly<Record<string, Omit<TableColumn, "id">>>;

/** Columns by id, in the given order. An agent has no realm column, because it has one realm. */
export const columnsOf = (ids: readonly (keyof typeof itemColumns)[], aggregator: boolean): readonly TableColumn[] =>
  ids.filter((id) => aggregator || id !== "realm").map((id) => ({ id, ...itemColumns[id] }));
