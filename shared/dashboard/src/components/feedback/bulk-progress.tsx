import { counted } from "@realmwatch/shared/view/plural";
import { type BulkRun, countsOf, type RealmRun } from "../../api/commands/bulk-run.ts";
import { useNow } from "../../api/context/app-context.tsx";
import { serverFailureOf } from "../../api/server/server-failure.ts";
import { bulkHeadline, bulkStatus } from "./bulk-summary.ts";
import "./bulk-progress.css";

/**
 * Progress of a bulk command: its objects, the realms that are waited for with the time since the start, the number of
 * objects whose row has the effect, and one line for each realm. `compact` leaves out the lines and the
 * number of failures, which a form has itself.
 */
export function BulkProgress({ run, compact = false }: { run: BulkRun; compact?: boolean }) {
  const nowMs = useNow();
  const { total, visible, failed } = countsOf(run);
  const [headline, status] = [bulkHeadline(run), bulkStatus(run, nowMs, !compact)];
  return (
    <div className="run">
      <p className="run-title" role="status">
        {headline}
      </p>
      {status !== "" && (
        <>
          <progress className="run-bar" aria-label={headline} max={total} value={visible} />
          <p className="muted">{status}</p>
        </>
      )}
      {!compact && (run.realms.length > 1 || failed > 0) && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolled area has to be reachable by keyboard.
        <ul className="run-realms" tabIndex={0} aria-label="Results by realm">
          {run.realms
            .toSorted((a, b) => rankOf(a) - rankOf(b))
            .map((one) => (
              <RealmLine key={one.realm} run={one} />
            ))}
        </ul>
      )}
    </div>
  );
}

/** Order of the lines: failed realms first, then those that are waited for. */
const rankOf = ({ answer }: RealmRun): number => ["failed", "waiting", "accepted"].indexOf(answer.kind);

function RealmLine({ run: { realm, items, answer, visible } }: { run: RealmRun }) {
  return (
    <li className={`is-${answer.kind}`}>
      {realm !== "" && <strong>{realm}: </strong>}
      {answer.kind === "waiting" && `${counted(items.length, "object")}, no answer yet, ${visible.size} visible`}
      {answer.kind === "accepted" && `${items.length} accepted, ${visible.size} visible`}
      {answer.kind === "failed" && <FailedRealm error={answer.error} count={items.length} visible={visible.size} />}
    </li>
  );
}

function FailedRealm({ error, count, visible }: { error: unknown; count: number; visible: number }) {
  const { code, message, next } = serverFailureOf(error);
  return (
    <>
      {counted(count, "object")}: <code>{code}</code> {message}{" "}
      <span className="muted">{visible > 0 ? `${visible} visible` : next}</span>
    </>
  );
}
