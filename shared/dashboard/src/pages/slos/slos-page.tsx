import { toJsonString } from "@bufbuild/protobuf";
import { timestampFromMs } from "@bufbuild/protobuf/wkt";
import { useQuery } from "@connectrpc/connect-query";
import {
  type QueryAvailabilityResponse,
  QueryAvailabilityResponseSchema,
  QueryService,
} from "@realmwatch/proto/svc/v1/query_pb";
import { availabilityCsv } from "@realmwatch/shared/view/report/availability-csv";
import { keepPreviousData } from "@tanstack/react-query";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { useStoreValue } from "../../api/context/value-store.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { downloadFile } from "../../components/controls/download-file.ts";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { useChoiceParam, useSearchParam } from "../../components/controls/use-search-param.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { formatDateTime } from "../../components/time/format-date-time.ts";
import { parseSpanMs } from "../../components/time/wall-time.ts";
import { SloCard } from "../../features/service-levels/slo-card.tsx";
import { compareReports, sloTone } from "../../features/service-levels/slo-figures.ts";
import "../../components/layout/print.css";
import "./slos.css";

/** Ranges of reports by their name in the address. The first is the one that the configuration gives. */
const ranges = ["default", "24h", "7d", "30d", "90d", "365d"] as const;
/** Interval between reports, ms; each is computed from history. */
const reportEveryMs = 60_000;

/** Service level objectives with their error budgets, worst first. Prints without the frame of the application. */
export function SlosPage() {
  const [range, choose] = useChoiceParam("range", ranges, "default");
  const [realm = "", chooseRealm] = useSearchParam("realm");
  const { data, error } = useReports(range, realm);
  const reports = data?.slos.toSorted(compareReports);
  const missed = reports?.filter((report) => sloTone(report) === "bad").length ?? 0;
  return (
    <>
      <PageHead title="Service levels" count={reports && `${reports.length}${missed > 0 ? `, ${missed} missed` : ""}`}>
        <div className="wrapped tools no-print">
          <RealmSelect realm={realm} onChange={chooseRealm} none="All realms" />
          <RangeChoice label="Range of the reports" choices={ranges} value={range} onChange={choose} />
          {data !== undefined && data.slos.length > 0 && <Downloads data={data} />}
        </div>
      </PageHead>
      {data !== undefined && <ReportRange data={data} />}
      {error !== null && <FailureText error={error} what="Service levels are not available." />}
      {data?.unanswered.map((one) => (
        <p key={one.realm} className="failure">
          <strong>Realm {one.realm} gave no answer</strong>: its objectives are missing. <code>{one.code}</code>{" "}
          {one.message}
        </p>
      ))}
      {data === undefined && error === null && <EmptyState title="Computing the reports…" />}
      {reports?.length === 0 && (data?.unanswered.length ?? 0) === 0 && (
        <EmptyState title="No service levels are configured">
          <p>
            An entry of <code>slos</code> in the configuration selects objects and gives the share of time that they
            have to be up.
          </p>
        </EmptyState>
      )}
      <div className="slos">
        {reports?.map((report) => (
          <SloCard key={`${report.realm}/${report.name}`} report={report} />
        ))}
      </div>
    </>
  );
}

/** Polls the reports. The range ends at the same minute for all of them. */
function useReports(range: string, realm: string) {
  const { now } = useAppContext();
  const toMs = useStoreValue(now, (ms) => Math.floor(ms / reportEveryMs) * reportEveryMs);
  const lengthMs = parseSpanMs(range);
  const span = lengthMs === undefined ? {} : { from: timestampFromMs(toMs - lengthMs), to: timestampFromMs(toMs) };
  return useQuery(
    QueryService.method.queryAvailability,
    { realm, ...span },
    // With a range the request changes every minute, and so is sent again.
    { refetchInterval: lengthMs === undefined && reportEveryMs, placeholderData: keepPreviousData },
  );
}

function ReportRange({ data: { from, to } }: { data: QueryAvailabilityResponse }) {
  const zone = usePreference("zone");
  const [fromMs, toMs] = [optionalMs(from), optionalMs(to)];
  if (fromMs === undefined || toMs === undefined) return null;
  return (
    <p className="slo-range muted">
      {formatDateTime(fromMs, zone)} to {formatDateTime(toMs, zone)}
      {zone === "utc" && " UTC"}
    </p>
  );
}

/** Downloads of the shown reports, made in the browser, and the print dialog. */
function Downloads({ data }: { data: QueryAvailabilityResponse }) {
  const day = new Date(optionalMs(data.to) ?? 0).toISOString().slice(0, 10);
  return (
    <>
      <ActionButton
        tone="small"
        onClick={() =>
          downloadFile(`service-levels-${day}.csv`, "text/csv;charset=utf-8", [availabilityCsv(data.slos)])
        }
      >
        CSV
      </ActionButton>
      <ActionButton
        tone="small"
        onClick={() =>
          downloadFile(`service-levels-${day}.json`, "application/json", [
            toJsonString(QueryAvailabilityResponseSchema, data, { prettySpaces: 2 }),
          ])
        }
      >
        JSON
      </ActionButton>
      <ActionButton tone="small" onClick={() => print()}>
        Print
      </ActionButton>
    </>
  );
}
