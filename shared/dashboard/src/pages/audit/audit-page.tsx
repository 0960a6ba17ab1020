import { type AuditRecord, AuditSource } from "@realmwatch/proto/svc/v1/admin_pb";
import { auditOutcomes } from "@realmwatch/shared/model/audit";
import { auditOutcomeCodec } from "@realmwatch/shared/wire/fields/enums";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAppContext } from "../../api/context/app-context.tsx";
import { useAdminClient } from "../../api/server/admin-client.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { NameSelect } from "../../components/controls/name-select.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { SearchBox } from "../../components/controls/search-box.tsx";
import { useChoiceParam, useSearchParam } from "../../components/controls/use-search-param.ts";
import { AdminOnly } from "../../components/feedback/admin-only.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { formatDateTime } from "../../components/time/format-date-time.ts";
import { RecordTime } from "../../components/time/time-text.tsx";
import { parseSpanMs } from "../../components/time/wall-time.ts";
import { filterAudit, principalOf, rpcNameOf } from "./audit-search.ts";
import "../../components/object/word.css";
import "./audit.css";

/** Ranges of the page; `all` has no beginning. */
const ranges = ["24h", "7d", "30d", "all"] as const;
/** Records of one request, the most that a server sends. */
const maxRecords = 1_000;
const firstRecords = 200;
const pollMs = 10_000;

/** Audit log of this server or of a realm, for administrators. */
export function AuditPage() {
  const { info } = useServerInfo();
  const [realm = "", chooseRealm] = useSearchParam("realm");
  return (
    <>
      <PageHead title="Audit">
        {info?.aggregator === true && <RealmSelect realm={realm} onChange={chooseRealm} none="This aggregator" />}
      </PageHead>
      <AdminOnly>
        <AuditLog key={realm} realm={realm} />
      </AdminOnly>
    </>
  );
}

function AuditLog({ realm }: { realm: string }) {
  const [range, choose] = useChoiceParam("since", ranges, "24h");
  const [outcome = ""] = useSearchParam("outcome");
  const [who = ""] = useSearchParam("who");
  const [call = ""] = useSearchParam("call");
  const [text = "", setText] = useSearchParam("q");
  const [limit, setLimit] = useState(firstRecords);
  const { records, error } = useAudit(realm, parseSpanMs(range), limit);
  const shown = filterAudit(records ?? [], { outcome, who, call, text });
  return (
    <>
      <div className="wrapped toolbar audit-tools">
        <SearchBox label="Search in the audit log" value={text} onChange={setText} />
        <FoldedFilters values={[outcome, who, call]} done="Show the records">
          <AuditFilters records={records} />
          <RangeChoice label="Range of the audit log" choices={ranges} value={range} onChange={choose} />
        </FoldedFilters>
        {records !== undefined && (
          <span className="muted" aria-live="polite">
            {shown.length === records.length
              ? `${shown.length} records`
              : `${shown.length} of ${records.length} records`}
          </span>
        )}
      </div>
      {error !== null && <FailureText error={error} what="The audit log is not available." />}
      {records?.length === 0 && <EmptyState title="No records in this range" />}
      {records !== undefined && records.length > 0 && shown.length === 0 && (
        <EmptyState title={`The filter hides ${records.length} records`} />
      )}
      {shown.length > 0 && <AuditTable records={shown} />}
      {records?.length === limit && limit < maxRecords && (
        <button type="button" className="button audit-more" onClick={() => setLimit(maxRecords)}>
          Load up to {maxRecords} records
        </button>
      )}
      {records?.length === maxRecords && (
        <p className="muted audit-more">The newest {maxRecords} records. Choose a shorter range to see the others.</p>
      )}
    </>
  );
}

function AuditFilters({ records }: { records: readonly AuditRecord[] | undefined }) {
  const [outcome = "", setOutcome] = useSearchParam("outcome");
  const [who = "", setWho] = useSearchParam("who");
  const [call = "", setCall] = useSearchParam("call");
  const [names, calls] = [namesOf(records, principalOf), namesOf(records, rpcNameOf)];
  return (
    <>
      <NameSelect label="Outcome" none="All outcomes" names={auditOutcomes} value={outcome} onChange={setOutcome} />
      <NameSelect label="Who" none="Everyone" names={names} value={who} onChange={setWho} />
      <NameSelect label="Call" none="All calls" names={calls} value={call} onChange={setCall} />
    </>
  );
}

/** Names that occur in the records, sorted. */
const namesOf = (records: readonly AuditRecord[] = [], nameOf: (record: AuditRecord) => string): readonly string[] =>
  [...new Set(records.map(nameOf).filter((name) => name !== ""))].sort();

function useAudit(realm: string, rangeMs: number | undefined, limit: number) {
  const { clock } = useAppContext();
  const client = useAdminClient();
  const { data, error } = useQuery({
    queryKey: ["audit", realm, rangeMs, limit],
    queryFn: ({ signal }) => {
      const sinceMs = rangeMs === undefined ? undefined : clock.now() - rangeMs;
      return client.audit(realm, { sinceMs, limit }, signal);
    },
    placeholderData: keepPreviousData,
    refetchInterval: pollMs,
  });
  return { records: data, error };
}

function AuditTable({ records }: { records: readonly AuditRecord[] }) {
  // Not every record has an id, so they are counted from the oldest one: a new record leaves the numbers as they are.
  const numbered = records.map((record, at) => ({ record, number: records.length - at }));
  return (
    <PlainTable
      className="card line-table audit-table"
      rows={numbered}
      keyOf={({ number }) => number}
      columns={[
        {
          title: "Time",
          className: "audit-time",
          cell: ({ record }) => <RecordTime at={record.at} format={formatDateTime} />,
        },
        { title: "Who", cell: ({ record }) => <Actor record={record} /> },
        { title: "Call", className: "audit-call", cell: ({ record }) => <Call record={record} /> },
        { title: "Outcome", cell: ({ record }) => <Outcome record={record} /> },
        { title: "From", cell: ({ record }) => <Origin record={record} /> },
      ]}
    />
  );
}

type RecordProps = { record: AuditRecord };

function Actor({ record }: RecordProps) {
  const name = principalOf(record);
  return (
    <>
      {name === "" ? <span className="muted">no identity</span> : <strong>{name}</strong>}
      {record.onBehalfOf !== "" && <span className="muted"> for {record.onBehalfOf}</span>}
    </>
  );
}

function Call({ record }: RecordProps) {
  const { rpc, commandJson, requestId } = record;
  return (
    <details>
      <summary>
        <strong>{rpcNameOf(record)}</strong> <span className="audit-json">{commandJson}</span>
      </summary>
      <pre className="audit-request">{indentJson(commandJson)}</pre>
      <p className="muted">
        {rpc}
        {requestId !== "" && `, request ${requestId}`}
      </p>
    </details>
  );
}

const tones = { accepted: "good", rejected: "fair", unknown: "fair", denied: "bad", failed: "bad" } as const;

function Outcome({ record: { outcome: wire, count, reason } }: RecordProps) {
  const outcome = auditOutcomeCodec.fromProto(wire) ?? "unknown";
  return (
    <>
      <span className={`word is-${tones[outcome]}`}>{outcome}</span>
      {count > 1 && <span className="muted"> {count} times</span>}
      {reason !== "" && <div className="hint">{reason}</div>}
    </>
  );
}

const Origin = ({ record: { peer, source } }: RecordProps) => (
  <>
    {peer} <span className="muted">{source === AuditSource.EXTCMD ? "command file" : "API"}</span>
  </>
);

/** JSON with indentation; other text, such as a truncated request, is returned unchanged. */
function indentJson(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
