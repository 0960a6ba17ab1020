import { useQuery } from "@connectrpc/connect-query";
import { HistoryType, QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { useCountsPollInterval } from "../../api/status/overview.ts";
import { HistoryDays } from "./history-list.tsx";
import "../../components/table/plain-table.css";

/** Number of the listed changes. */
const shownChanges = 20;

/** Newest state changes of all objects, for screens with room beside or below a list. */
export function LatestChanges() {
  const request = { types: [HistoryType.STATE], pageSize: shownChanges };
  const { data } = useQuery(QueryService.method.listHistory, request, {
    refetchInterval: useCountsPollInterval(),
  });
  if (data === undefined || data.records.length === 0) return null;
  return (
    <section className="panel-table latest-changes">
      <h2>Latest state changes</h2>
      <HistoryDays records={data.records} withObject />
    </section>
  );
}
