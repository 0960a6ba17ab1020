import { PendingMarks } from "../commands/pending-marks.tsx";
import { StatusBadge } from "../status/status-badge.tsx";
import type { Column } from "../table/data-table.tsx";
import { Ago } from "../time/time-text.tsx";
import { ObjectLink, ObjectName } from "./object-link.tsx";
import { QuietMarks } from "./quiet-marks.tsx";
import { StaleMark } from "./stale-mark.tsx";

const columns: readonly Column[] = [
  {
    id: "state",
    header: "State",
    sortable: true,
    cell: (item) => <StatusBadge word={item.word} handled={item.handled} />,
  },
  {
    id: "object",
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
  { id: "output", header: "Output", cell: (item) => <span className="output-lines">{item.row.output}</span> },
  { id: "realm", header: "Realm", sortable: true, cell: (item) => item.realm },
  { id: "since", header: "Since", sortable: true, cell: (item) => <Ago atMs={item.sinceMs} /> },
  { id: "checked", header: "Checked", sortable: true, cell: (item) => <Ago atMs={item.lastCheckAtMs} suffix=" ago" /> },
  {
    id: "marks",
    header: "Marks",
    cell: (item) => (
      <span className="marks">
        <QuietMarks item={item} />
        <PendingMarks item={item} />
      </span>
    ),
  },
];

/** The realm is a column only where there can be several. */
export const objectColumns = (aggregator: boolean): readonly Column[] =>
  columns.filter(({ id }) => aggregator || id !== "realm");
