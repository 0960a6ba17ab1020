import { isProblem } from "@realmwatch/shared/model/status";
import { useSummary } from "../../api/status/use-summary.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { CountLink, UnhandledLink } from "./count-link.tsx";
import { countOf, countOfAll, kinds, statusColumnsOf } from "./count-matrix.ts";
import { CountTable } from "./count-table.tsx";

/** Number of objects by kind and status, all of them and the unhandled ones. */
export function KindTable() {
  const { summary, error } = useSummary({});
  const { summary: unhandled } = useSummary({ unhandledOnly: true });
  if (error !== null) return <FailureText error={error} what="The counts are not available." />;
  return (
    <CountTable
      title="By kind and state"
      rows={kinds}
      keyOf={({ name }) => name}
      name={{ title: "Kind", cell: ({ label }) => label }}
      unhandled={({ name, kind, label }) => (
        <CountLink
          of={countOfAll(unhandled, kind)}
          to="/"
          search={{ kind: name }}
          label={`unhandled problems of ${label}`}
        />
      )}
      statuses={statusColumnsOf(summary)}
      countOf={({ name, kind, label }, status) => {
        const of = countOf(summary, status, kind);
        const link = { search: { kind: name, status }, label: `${status} ${label}` };
        return (
          <>
            <CountLink of={of} to="/objects" status={status} {...link} />
            {isProblem(status) && <UnhandledLink of={countOf(unhandled, status, kind)} total={of.count} {...link} />}
          </>
        );
      }}
    />
  );
}
