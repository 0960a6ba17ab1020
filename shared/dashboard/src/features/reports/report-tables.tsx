import { refOf } from "@realmwatch/shared/model/object-key";
import { isLowEvidence } from "@realmwatch/shared/view/evidence";
import type { Report, ReportFigures, ReportObject, ReportRow } from "@realmwatch/shared/view/report/report";
import {
  achievedText,
  budgetLeftText,
  byTitle,
  evidenceText,
  hoursText,
  rowTitle,
  targetText,
  verdictOf,
} from "@realmwatch/shared/view/report/report-figures";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { type PlainColumn, PlainTable } from "../../components/table/plain-table.tsx";
import "../../components/object/word.css";

/** Row of the report beside one of its worst objects. */
type WorstRow = { readonly row: ReportRow; readonly object: ReportObject };

/** [RP8] Evidence, marked where it is low. */
const Evidence = ({ figures }: { figures: ReportFigures }) => (
  <span className={isLowEvidence(figures.evidence) ? "evidence-mark" : undefined}>{evidenceText(figures)}</span>
);

const verdictLooks = { met: undefined, missed: "word is-bad", none: "muted" } as const;

/** Columns of figures, which both tables have. */
const figureColumns = <Row,>(
  figuresOf: (row: Row) => ReportFigures,
): readonly [achieved: PlainColumn<Row>, evidence: PlainColumn<Row>, ...times: readonly PlainColumn<Row>[]] => [
  {
    ...{ title: "Achieved", className: "number" },
    cell: (row) => <span className={verdictLooks[verdictOf(figuresOf(row))]}>{achievedText(figuresOf(row))}</span>,
  },
  { title: "Evidence", className: "number", cell: (row) => <Evidence figures={figuresOf(row)} /> },
  { title: "Down", className: "number", cell: (row) => hoursText(figuresOf(row).downHours) },
  { title: "Downtime", className: "number", cell: (row) => hoursText(figuresOf(row).downtimeHours) },
];

/** Table with the rows of a report. */
export function ReportTable({ report: { by, rows } }: { report: Report }) {
  const [achieved, evidence, ...times] = figureColumns<ReportRow>((row) => row);
  return (
    <PlainTable
      label="Report"
      className="card card-table report-table"
      rows={rows}
      keyOf={({ realm, name }) => `${realm}/${name}`}
      columns={[
        { title: byTitle(by), isName: true, cell: (row) => rowTitle(row, by) },
        by.kind === "slo" && rows.some(({ realm }) => realm !== "") && { title: "Realm", cell: ({ realm }) => realm },
        achieved,
        evidence,
        { title: "Target", className: "number", cell: targetText },
        { title: "Budget left", className: "number", cell: budgetLeftText },
        ...times,
        { title: "Objects", className: "number", cell: ({ objects }) => objects },
      ]}
    />
  );
}

/** Table with the worst objects of each row; nothing when no object was down. */
export function WorstTable({ report: { by, rows } }: { report: Report }) {
  const worst = rows.flatMap((row) => row.worst.map((object): WorstRow => ({ row, object })));
  if (worst.length === 0) return <p className="muted">No object was down.</p>;
  return (
    <PlainTable
      label="Worst objects"
      className="card card-table report-table"
      rows={worst}
      keyOf={({ row, object }) => `${row.realm}/${row.name}/${object.realm}/${refOf(object.key)}`}
      columns={[
        {
          title: "Object",
          isName: true,
          cell: ({ object: { realm, key } }) => <ObjectLink realm={realm} object={key} />,
        },
        worst.some(({ object }) => object.realm !== "") && { title: "Realm", cell: ({ object }) => object.realm },
        by.kind !== "slo" && { title: byTitle(by), cell: ({ row }) => rowTitle(row, by) },
        { title: "By objective", cell: ({ object }) => object.slo },
        ...figureColumns<WorstRow>(({ object }) => object),
      ]}
    />
  );
}
