import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import { type QueryAvailabilityResponse, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { labelOfReport, type Report, workOutReport } from "@realmwatch/shared/view/report/report";
import {
  achievedText,
  evidenceText,
  hoursText,
  reportCsv,
  summaryText,
  targetText,
} from "@realmwatch/shared/view/report/report-figures";
import { formatLocal } from "@realmwatch/shared/view/report/report-range";
import { type ReportSpan, spanText } from "@realmwatch/shared/view/report/report-text";
import { useNavigate, useSearch } from "@tanstack/react-router";
import { useState } from "react";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { downloadFile } from "../../components/controls/download-file.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { Fact } from "../../components/object/fact.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { ReportControls } from "../../features/reports/report-controls.tsx";
import { chosenMonth, readReportSearch, zoneOf } from "../../features/reports/report-search.ts";
import type { ReportSearch } from "../../features/reports/report-search-parameters.ts";
import { ReportTable, WorstTable } from "../../features/reports/report-tables.tsx";
import "../../components/evidence/evidence-mark.css";
import "../../components/layout/print.css";
import "./reports.css";

/** Service levels of a month or a free range, for paper: the summary first, then the rows and their worst objects. */
export function ReportsPage() {
  const { clock } = useAppContext();
  const search: ReportSearch = useSearch({ from: "/reports" });
  const navigate = useNavigate();
  // A report is computed from the history of all objects, so it is not polled.
  const [nowMs] = useState(() => clock.now());
  const zone = zoneOf(search, usePreference("zone"));
  const asked = readReportSearch(search, zone, nowMs);
  return (
    <>
      <PageHead title="Reports" />
      <ReportControls
        {...{ search, zone, nowMs, month: chosenMonth(search, zone, nowMs) }}
        onChange={(change) => void navigate({ to: "/reports", search: { ...search, ...change }, resetScroll: false })}
      />
      {"wrong" in asked ? (
        <p className="failure">{asked.wrong}</p>
      ) : (
        <AskedReport {...asked} realm={search.realm ?? ""} />
      )}
    </>
  );
}

type AskedReportProps = { by: Report["by"]; span: ReportSpan; realm: string };

function AskedReport({ by, span, realm }: AskedReportProps) {
  const { data, error } = useQuery(QueryService.method.queryAvailability, {
    ...{ realm, label: labelOfReport(by) },
    ...{ from: timestampFromMs(span.fromMs), to: timestampFromMs(span.toMs) },
  });
  if (error !== null) return <FailureText error={error} what="The report is not available." />;
  if (data === undefined) return <EmptyState title="Computing the report…" />;
  return <ShownReport report={workOutReport(data.slos, by)} {...{ span, realm, unanswered: data.unanswered }} />;
}

type ShownReportProps = {
  report: Report;
  span: ReportSpan;
  realm: string;
  unanswered: QueryAvailabilityResponse["unanswered"];
};

function ShownReport({ report, span, realm, unanswered }: ShownReportProps) {
  const { fromMs, toMs, zone, month } = span;
  const [from, to] = [formatLocal(fromMs, zone), formatLocal(toMs, zone)];
  const name = `report-${month ?? `${from.slice(0, 10)}-${to.slice(0, 10)}`}.csv`;
  return (
    <article className="report" aria-label={`Report ${spanText(span)}`}>
      <header className="wrapped report-head">
        <h2 className="title">{spanText(span)}</h2>
        <p className="tools no-print">
          <ActionButton tone="small" onClick={() => downloadFile(name, "text/csv;charset=utf-8", [reportCsv(report)])}>
            CSV
          </ActionButton>{" "}
          <ActionButton tone="small" onClick={() => print()}>
            Print
          </ActionButton>
        </p>
      </header>
      {month !== undefined && (
        <p className="muted">
          {from} to {to}
        </p>
      )}
      {realm !== "" && <p>Realm {realm} only</p>}
      <Summary report={report} />
      {unanswered.map((one) => (
        <p key={one.realm} className="failure">
          <strong>Realm {one.realm} gave no answer</strong>: its objectives are missing. <code>{one.code}</code>{" "}
          {one.message}
        </p>
      ))}
      {report.rows.length > 0 ? (
        <>
          <ReportTable report={report} />
          <h3>Worst objects</h3>
          <WorstTable report={report} />
        </>
      ) : (
        unanswered.length === 0 && <EmptyState title="No service levels are configured" />
      )}
    </article>
  );
}

/** Verdict on all rows, and the figures of all objects together. */
function Summary({ report }: { report: Report }) {
  const { total, rows } = report;
  const figures = [
    ["Achieved", achievedText(total)],
    ["Evidence", evidenceText(total)],
    ["Target", targetText(total)],
    ["Down", hoursText(total.downHours)],
    ["Downtime", hoursText(total.downtimeHours)],
    ["Objects", String(total.objects)],
  ] as const;
  return (
    <section className="card report-summary" aria-label="Summary">
      <p>
        <strong>{summaryText(report)}</strong>
      </p>
      {rows.length > 0 && (
        <dl className="figures">
          {figures.map(([name, text]) => (
            <Fact key={name} name={name}>
              {text}
            </Fact>
          ))}
        </dl>
      )}
    </section>
  );
}
