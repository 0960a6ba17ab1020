import { create } from "@bufbuild/protobuf";
import { useQuery } from "@connectrpc/connect-query";
import { ObjectKind } from "@realmwatch/proto/svc/v1/common_pb";
import { type ObjectRow, QueryService, StatusRowSchema } from "@realmwatch/proto/svc/v1/query_pb";
import { severityOf } from "@realmwatch/shared/model/status";
import { useMemo } from "react";
import { usePollInterval } from "../../api/status/overview.ts";
import { statusItemOf } from "../../api/status/status-item.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { type Process, ProcessCard } from "../../features/processes/process-card.tsx";

/** Processes with the rules that they are computed by, worst first. */
export function ProcessesPage() {
  const refetchInterval = usePollInterval();
  const { data, error } = useQuery(
    QueryService.method.listObjects,
    { kinds: [ObjectKind.PROCESS] },
    { refetchInterval },
  );
  const processes = useMemo(() => data && processesOf(data.rows), [data]);
  const problems = processes?.filter(({ item }) => item.problem).length ?? 0;
  return (
    <>
      <PageHead title="Processes" count={processes && `${processes.length}, ${problems} with a problem`} />
      {error !== null && <FailureText error={error} what="Processes are not available." />}
      {processes === undefined && error === null && <EmptyState title="Loading…" />}
      {processes?.length === 0 && (
        <EmptyState title="No processes are configured">
          <p>A process has a status that a rule computes from other objects: “at least two of three web servers”.</p>
        </EmptyState>
      )}
      <div className="process-grid">
        {processes?.map((process) => (
          <ProcessCard key={process.item.id} process={process} />
        ))}
      </div>
    </>
  );
}

function processesOf(rows: readonly ObjectRow[]): readonly Process[] {
  return rows
    .flatMap(
      ({ $typeName: _, labels: _labels, parents: _parents, dependsOn: _dependsOn, checkType: _type, rule, ...row }) => {
        // An ObjectRow has the fields of a StatusRow, and more.
        const item = statusItemOf(create(StatusRowSchema, row));
        return item === undefined ? [] : [{ item, rule }];
      },
    )
    .sort((a, b) => severityOf[b.item.statusName] - severityOf[a.item.statusName]);
}
