import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import { never } from "@realmwatch/shared/model/never";
import { personOf } from "@realmwatch/shared/view/person";
import { disabledFeatures } from "@realmwatch/shared/view/row-switches";
import { useNow } from "../../api/context/app-context.tsx";
import { optionalMs } from "../../api/status/status-item.ts";
import { formatTimeSpan } from "../time/format-time-span.ts";
import { Age, EndTime } from "../time/time-text.tsx";

/** Reasons for which a row is muted, separated by semicolons. */
export function MuteReasons({ row }: { row: StatusRow }) {
  return muteReasonsOf(row).map((reason, at) => (
    <span key={`${reason.kind}${"what" in reason ? reason.what : ""}`}>
      {at > 0 && "; "}
      <ReasonText reason={reason} />
    </span>
  ));
}

function ReasonText({ reason }: { reason: MuteReason }) {
  switch (reason.kind) {
    case "acknowledged":
      return (
        <>
          acknowledged by {reason.author || "unknown"}: {reason.comment}
        </>
      );
    case "downtime":
      return (
        <>
          downtime{reason.author !== "" && ` by ${reason.author}`}: {reason.comment}
          {reason.untilMs !== undefined && (
            <>
              , until <EndTime atMs={reason.untilMs} />
            </>
          )}
        </>
      );
    case "off":
      return <>{reason.what} off</>;
    default:
      return never(reason);
  }
}

/** Time from which a row that is still muted may be forgotten, ms: 3 days. */
const forgottenAfterMs = 3 * 86_400_000;

/** Age of the acknowledgement or downtime; marked from three days on, because it may be forgotten. */
export function MutedAge({ row }: { row: StatusRow }) {
  const nowMs = useNow();
  const sinceMs = mutedSinceMs(row);
  const isOld = sinceMs !== undefined && nowMs - sinceMs > forgottenAfterMs;
  return (
    <span className={isOld ? "is-forgotten" : ""} title={isOld ? "muted for more than 3 days" : undefined}>
      <Age atMs={sinceMs} />
      {isOld && <span className="visually-hidden">, muted for more than 3 days</span>}
    </span>
  );
}

/** Time since the check was due: `4 m late`; empty for a row that is not overdue. */
export function LateText({ row }: { row: StatusRow }) {
  const nowMs = useNow();
  if (row.overdue !== true) return null;
  const dueMs = optionalMs(row.nextCheck) ?? optionalMs(row.lastCheck);
  return dueMs === undefined ? "never checked" : `${formatTimeSpan(Math.max(0, nowMs - dueMs))} late`;
}

/** Reasons for which a row is muted, in words: `acknowledged by ann`, `downtime until …`, `notifications off`. */
type MuteReason =
  | { readonly kind: "acknowledged"; readonly author: string; readonly comment: string }
  | {
      readonly kind: "downtime";
      readonly author: string;
      readonly comment: string;
      readonly untilMs: number | undefined;
    }
  | { readonly kind: "off"; readonly what: string };

/** Lists all reasons, the acknowledgement first. A downtime without an entry is one of the host. */
function muteReasonsOf(row: StatusRow): readonly MuteReason[] {
  const { acknowledgement: ack } = row;
  const downtime = row.downtimes.find(({ inEffect }) => inEffect);
  const { comment = "of the host" } = downtime ?? {};
  const author = downtime === undefined ? "" : personOf(downtime);
  return [
    ...(ack === undefined ? [] : [{ kind: "acknowledged", author: personOf(ack), comment: ack.comment } as const]),
    ...(row.inDowntime ? [{ kind: "downtime", author, comment, untilMs: optionalMs(downtime?.end) } as const] : []),
    ...disabledFeatures(row).map((what) => ({ kind: "off", what }) as const),
  ];
}

/** Time since which a row is acknowledged or in downtime, the earlier of both, Unix ms; undefined for switches alone. */
function mutedSinceMs({ acknowledgement, downtimes }: StatusRow): number | undefined {
  const starts = [
    optionalMs(acknowledgement?.at),
    ...downtimes.filter(({ inEffect }) => inEffect).map(({ start }) => optionalMs(start)),
  ].filter((atMs) => atMs !== undefined);
  return starts.length === 0 ? undefined : Math.min(...starts);
}
