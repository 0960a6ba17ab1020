import { isProblemStatus } from "../../api/status/status-name.ts";
import { useSummary } from "../../api/status/use-summary.ts";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { overviewTexts } from "../../texts/overview-texts.ts";
import { CountLink, UnhandledLink } from "./count-link.tsx";
import { countOf, countOfAll, kinds, statusColumnsOf } from "./count-matrix.ts";
import { CountTable } from "./count-table.tsx";

/** Number of objects by kind and status, all of them and the unhandled ones. */
export function KindTable() {
  const { summary, error } = useSummary({});
  const { summary: unhandled } = useSummary({ unhandledOnly: true });
  if (error !== null) return <FailureText error={error} what={overviewTexts.theCountsAreNotAvailable} />;
  const columns = statusColumnsOf(summary);
  return (
    <CountTable title={overviewTexts.byKindAndState} of={overviewTexts.kind} columns={columns}>
      {kinds.map(({ name, kind, label }) => (
        <tr key={name}>
          <th scope="row">{label}</th>
          <td data-label={overviewTexts.unhandledHeading} className="number">
            <CountLink
              of={countOfAll(unhandled, kind)}
              to="/"
              search={{ kind: name }}
              label={overviewTexts.unhandledProblemsOf(label)}
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
              {isProblemStatus(status) && (
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
