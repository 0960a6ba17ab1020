import { PendingMarks } from "../commands/pending-marks.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { Ago } from "../time/time-text.tsx";
import { ObjectLink, ObjectName } from "./object-link.tsx";
import { QuietMarks } from "./quiet-marks.tsx";
import { StaleMark } from "./stale-mark.tsx";

/** What a list of objects can show of each. */
const itemColumns = {
  state: {
    header: "State",
    sortable: true,
    cell: (item) => <StatusBadge word={item.word} handled={item.handled} />,
  },
  since: { header: "Since", sortable: true, cell: (item) => <Ago atMs={item.sinceMs} /> },
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
  checked: { header: "Checked", sortable: true, cell: (item) => <Ago atMs={item.lastCheckAtMs} suffix=" ago" /> },
  marks: {
    header: "Marks",
    cell: (item) => (
      <span className="marks">
        <QuietMarks item={item} />
        <PendingMarks item={item} />
      </span>
    ),
  },
} satisfies Readonly<Record<string, Omit<Column, "id">>>;

/** The columns of those names in that order. The realm is a column only where there can be several. */
export const columnsOf = (ids: readonly (keyof typeof itemColumns)[], aggregator: boolean): readonly Column[] =>
  ids.filter((id) => aggregator || id !== "realm").map((id) => ({ id, ...itemColumns[id] }));
