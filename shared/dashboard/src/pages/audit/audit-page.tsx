import type { AuditRecord } from "@realmwatch/proto/svc/v1/admin_pb";
import { keepPreviousData, useQuery } from "@tanstack/react-query";
import { useState } from "react";
import { useAppContext, usePreference } from "../../api/context/app-context.tsx";
import { useAdminClient } from "../../api/server/admin-client.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { FoldedFilters } from "../../components/controls/folded-filters.tsx";
import { RangeChoice } from "../../components/controls/range-choice.tsx";
import { RealmSelect } from "../../components/controls/realm-select.tsx";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { AdminOnly } from "../../components/feedback/admin-only.tsx";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { formatDateTime, isoInstant } from "../../components/time/format-date-time.ts";
import { formatTimeSpan } from "../../components/time/format-time-span.ts";
import { auditTexts } from "../../texts/audit-texts.ts";
import { auditOutcomeNames, auditSourceNames, filterAudit, principalOf, rpcNameOf } from "./audit-search.ts";
import "../../components/table/plain-table.css";
import "./audit.css";

/** Ranges of the page, ms; `all` has no beginning. */
const ranges: Readonly<Record<string, number | undefined>> = {
  "24h": 86_400_000,
  "7d": 604_800_000,
  "30d": 2_592_000_000,
  all: undefined,
};
/** Records of one request, the most that a server sends. */
const maxRecords = 1_000;
const firstRecords = 200;
const pollMs = 10_000;

/** Audit log of this server or of a realm, for administrators. */
export function AuditPage() {
  usePageTitle(auditTexts.audit);
  const { info } = useServerInfo();
  const [realm = "", chooseRealm] = useSearchParam("realm");
  return (
    <>
      <header className="page-head">
        <h1>{auditTexts.audit}</h1>
        {info?.aggregator === true && (
          <RealmSelect realm={realm} onChange={chooseRealm} none={auditTexts.thisAggregator} />
        )}
      </header>
      <AdminOnly>
        <AuditLog key={realm} realm={realm} />
      </AdminOnly>
    </>
  );
}

function AuditLog({ realm }: { realm: string }) {
  const [chosen, choose] = useSearchParam("since");
  const range = chosen !== undefined && Object.hasOwn(ranges, chosen) ? chosen : "24h";
  const [outcome = "", setOutcome] = useSearchParam("outcome");
  const [who = "", setWho] = useSearchParam("who");
  const [call = "", setCall] = useSearchParam("call");
  const [text = "", setText] = useSearchParam("q");
  const [limit, setLimit] = useState(firstRecords);
  const { records, error } = useAudit(realm, ranges[range], limit);
  const shown = filterAudit(records ?? [], { outcome, who, call, text });
  return (
    <>
      <div className="toolbar audit-tools">
        <input
          type="search"
          aria-label={auditTexts.searchInTheAuditLog}
          placeholder={auditTexts.search}
          value={text}
          onChange={(event) => setText(event.target.value)}
        />
        <FoldedFilters
          set={[outcome, who, call].filter((value) => value !== "").length}
          done={auditTexts.showTheRecords}
        >
          <FilterSelect
            label={auditTexts.outcome}
            none={auditTexts.allOutcomes}
            names={Object.values(auditOutcomeNames)}
            value={outcome}
            onChange={setOutcome}
          />
          <FilterSelect
            label={auditTexts.who}
            none={auditTexts.everyone}
            names={namesOf(records, principalOf)}
            value={who}
            onChange={setWho}
          />
          <FilterSelect
            label={auditTexts.call}
            none={auditTexts.allCalls}
            names={namesOf(records, rpcNameOf)}
            value={call}
            onChange={setCall}
          />
          <RangeChoice
            label={auditTexts.rangeOfTheAuditLog}
            choices={Object.keys(ranges)}
            value={range}
            onChange={choose}
          />
        </FoldedFilters>
        {records !== undefined && (
          <span className="muted" aria-live="polite">
            {shown.length === records.length
              ? auditTexts.records(shown.length)
              : auditTexts.ofRecords(shown.length, records.length)}
          </span>
        )}
      </div>
      {error !== null && <FailureText error={error} what={auditTexts.theAuditLogIsNot} />}
      {records?.length === 0 && <EmptyState title={auditTexts.noRecordsInThisRange} />}
      {records !== undefined && records.length > 0 && shown.length === 0 && (
        <EmptyState title={auditTexts.theFilterHidesRecords(records.length)} />
      )}
      {shown.length > 0 && <AuditTable records={shown} />}
      {records?.length === limit && limit < maxRecords && (
        <button type="button" className="button audit-more" onClick={() => setLimit(maxRecords)}>
          {auditTexts.loadUpToRecords(maxRecords)}
        </button>
      )}
      {records?.length === maxRecords && (
        <p className="muted audit-more">{auditTexts.theNewestRecordsChooseA(maxRecords)}</p>
      )}
    </>
  );
}

/** Names that occur in the records, sorted. */
const namesOf = (records: readonly AuditRecord[] = [], nameOf: (record: AuditRecord) => string): readonly string[] =>
  [...new Set(records.map(nameOf).filter((name) => name !== ""))].sort();

type FilterSelectProps = {
  label: string;
  none: string;
  names: readonly string[];
  value: string;
  onChange: (value: string) => void;
};

/** Choice of one name, or of none. A chosen name stays a choice when no record has it. */
function FilterSelect({ label, none, names, value, onChange }: FilterSelectProps) {
  return (
    <select aria-label={label} value={value} onChange={(event) => onChange(event.target.value)}>
      <option value="">{none}</option>
      {(value === "" || names.includes(value) ? names : [value, ...names]).map((name) => (
        <option key={name}>{name}</option>
      ))}
    </select>
  );
}

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
    <table className="plain-table audit-table">
      <thead>
        <tr>
          <th scope="col">{auditTexts.time}</th>
          <th scope="col">{auditTexts.who}</th>
          <th scope="col">{auditTexts.call}</th>
          <th scope="col">{auditTexts.outcome}</th>
          <th scope="col">{auditTexts.from}</th>
        </tr>
      </thead>
      <tbody>
        {numbered.map(({ record, number }) => (
          <AuditLine key={number} record={record} />
        ))}
      </tbody>
    </table>
  );
}

function AuditLine({ record }: { record: AuditRecord }) {
  const { peer, reason, source, outcome, onBehalfOf, commandJson, requestId, count } = record;
  const name = principalOf(record);
  return (
    <tr>
      <td data-label={auditTexts.time} className="audit-time">
        <Instant atMs={optionalMs(record.at) ?? 0} />
      </td>
      <td data-label={auditTexts.who}>
        {name === "" ? <span className="muted">{auditTexts.noIdentity}</span> : <strong>{name}</strong>}
        {onBehalfOf !== "" && <span className="muted">{auditTexts.for(onBehalfOf)}</span>}
      </td>
      <td data-label={auditTexts.call} className="audit-call">
        <details>
          <summary>
            <strong>{rpcNameOf(record)}</strong> <span className="audit-json">{commandJson}</span>
          </summary>
          <pre className="audit-request">{indented(commandJson)}</pre>
          <p className="muted">
            {record.rpc}
            {requestId !== "" && auditTexts.request(requestId)}
          </p>
        </details>
      </td>
      <td data-label={auditTexts.outcome}>
        <span className={`audit-outcome is-${auditOutcomeNames[outcome] ?? "unknown"}`}>
          {auditOutcomeNames[outcome] ?? auditTexts.unknown}
        </span>
        {count > 1 && <span className="muted">{auditTexts.times(count)}</span>}
        {reason !== "" && <span className="audit-reason">{reason}</span>}
      </td>
      <td data-label={auditTexts.from}>
        {peer} <span className="muted">{auditSourceNames[source]}</span>
      </td>
    </tr>
  );
}

function Instant({ atMs }: { atMs: number }) {
  const zone = usePreference("zone");
  const { now } = useAppContext();
  return (
    <time dateTime={isoInstant(atMs)} title={auditTexts.ago(isoInstant(atMs), formatTimeSpan(now.get() - atMs))}>
      {formatDateTime(atMs, zone)}
    </time>
  );
}

/** JSON with indentation; other text, such as a truncated request, unchanged. */
function indented(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
