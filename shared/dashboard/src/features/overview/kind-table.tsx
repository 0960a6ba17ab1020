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
  const columns = statusColumnsOf(summary);
  return (
    <CountTable title="By kind and state" of="Kind" columns={columns}>
      {kinds.map(({ name, kind, label }) => (
        <tr key={name}>
          <th scope="row">{label}</th>
          <td data-label="unhandled" className="number">
            <CountLink
              of={countOfAll(unhandled, kind)}
              to="/"
              search={{ kind: name }}
              label={`unhandled problems of ${label}`}
            />
          </td>
          {columns.map((status) => (
            <td key={status} data-label={status} className="number">
              <CountLink
                of={countOf(summary, status, kind)}
                to="/objects"
                search={{ kind: name, status }}
                status={status}
                label={`${status} ${label}`}
              />
              {isProblem(status) && (
                <UnhandledLink
                  of={countOf(unhandled, status, kind)}
                  total={countOf(summary, status, kind).count}
                  search={{ kind: name, status }}
                  label={`${status} ${label}`}
                />
              )}
            </td>
          ))}
        </tr>
      ))}
    </CountTable>
  );
}
