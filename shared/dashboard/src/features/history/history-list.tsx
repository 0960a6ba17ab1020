import type { MessageInitShape } from "@bufbuild/protobuf";
import { useInfiniteQuery } from "@connectrpc/connect-query";
import { type HistoryRecord, type ListHistoryRequestSchema, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { usePreference } from "../../api/context/app-context.tsx";
import { keyOfWireRef } from "../../api/status/object-key.ts";
import { pollMs } from "../../api/status/overview.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { ActionButton } from "../../components/controls/action-button.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { formatClockTime, formatDate } from "../../components/time/format-date-time.ts";
import { RecordTime } from "../../components/time/time-text.tsx";
import { RecordText, RecordTypeMark } from "./record-text.tsx";
import "./history.css";

const recordsPerPage = 50;

type HistoryListProps = {
  request: MessageInitShape<typeof ListHistoryRequestSchema>;
  /** True to display the object of each record; false on the object's own page. */
  withObject: boolean;
  /** Interval between polls, ms. Default: that of the rows of a page. */
  pollMs?: number;
};

/** Records by day, newest first; older ones on demand. Polls until an older page was loaded. */
export function HistoryList({ request, withObject, pollMs: idleMs = pollMs.rows }: HistoryListProps) {
  const { data, error, hasNextPage, fetchNextPage, isFetchingNextPage } = useInfiniteQuery(
    QueryService.method.listHistory,
    { ...request, pageSize: recordsPerPage, pageToken: "" },
    {
      pageParamKey: "pageToken",
      getNextPageParam: ({ nextPageToken }) => nextPageToken || undefined,
      // A poll would fetch every loaded page again.
      refetchInterval: ({ state }) => (state.data === undefined || state.data.pages.length === 1 ? idleMs : false),
    },
  );
  const records = data?.pages.flatMap((page) => page.records) ?? [];
  const unanswered = data?.pages.at(-1)?.unanswered ?? [];
  return (
    <div className="history">
      {error !== null && <FailureText error={error} what="History is not available." />}
      {unanswered.map(({ realm, code, message }) => (
        <p key={realm} className="failure">
          <strong>Records of realm {realm} are missing</strong>: <code>{code}</code> {message}
        </p>
      ))}
      {data !== undefined && records.length === 0 && <p className="muted">No records.</p>}
      <HistoryDays records={records} withObject={withObject} />
      {hasNextPage && (
        <ActionButton disabled={isFetchingNextPage} onClick={() => void fetchNextPage()}>
          {isFetchingNextPage ? "Loading…" : "Load older"}
        </ActionButton>
      )}
    </div>
  );
}

/** Records by day, without loading any. */
export function HistoryDays({ records, withObject }: { records: readonly HistoryRecord[]; withObject: boolean }) {
  const zone = usePreference("zone");
  // One level below the title of the page or of the panel.
  const Heading = withObject ? "h2" : "h3";
  const days = Map.groupBy(records, ({ at }) => formatDate(optionalMs(at) ?? 0, zone));
  return [...days].map(([day, ofDay]) => (
    <section key={day}>
      <Heading className="history-day">{day}</Heading>
      <ol className="card history-list">
        {ofDay.map((record) => (
          <RecordLine key={`${record.realm}/${record.id}`} record={record} withObject={withObject} />
        ))}
      </ol>
    </section>
  ));
}

function RecordLine({ record, withObject }: { record: HistoryRecord; withObject: boolean }) {
  const key = keyOfWireRef(record.object);
  return (
    <li className={withObject ? "record" : "record is-own"}>
      <RecordTime at={record.at} format={formatClockTime} />
      <RecordTypeMark record={record} />
      {withObject && (
        <span className="record-object">
          {key === undefined ? (
            <span className="muted">{record.realm || "the realm"}</span>
          ) : (
            <>
              <ObjectLink realm={record.realm} object={key} />
              {record.realm !== "" && <span className="muted"> {record.realm}</span>}
            </>
          )}
        </span>
      )}
      <span className="record-text">
        <RecordText record={record} />
      </span>
    </li>
  );
}
