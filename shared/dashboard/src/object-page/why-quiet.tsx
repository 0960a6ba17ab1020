import { optionalMs, type StatusItem } from "../api/status-item.ts";
import { reasonText } from "../status/reason-text.ts";
import { Instant } from "../time/time-text.tsx";
import { Fact } from "./check-facts.tsx";

/** Why somebody was, or was not, told; the question of every morning after. */
export function WhyQuiet({ item }: { item: StatusItem }) {
  const { row } = item;
  const ack = row.acknowledgement;
  const progress = row.notification;
  const because = progress?.because;
  return (
    <section className="panel" aria-labelledby="why-title">
      <h2 id="why-title">{item.handled ? "Why it is quiet" : "Notifications"}</h2>
      <ul className="reasons">
        {ack !== undefined && (
          <li>
            <strong>Acknowledged</strong> by {ack.author || "somebody"}
            {ack.onBehalfOf !== "" && ` for ${ack.onBehalfOf}`},{" "}
            {ack.sticky ? "until recovery" : "until the state changes"}
            <blockquote>{ack.comment}</blockquote>
            <span className="muted">
              <Instant atMs={optionalMs(ack.at)} />
              {ack.expiresAt && (
                <>
                  {" "}
                  · ends <Instant atMs={optionalMs(ack.expiresAt)} />
                </>
              )}
            </span>
          </li>
        )}
        {row.inDowntime && (
          <li>
            <strong>In downtime</strong>
            {!row.downtimes.some(({ inEffect }) => inEffect) && " of its host"}
          </li>
        )}
        {row.suppressedBy.length > 0 && (
          <li>
            <strong>Kept quiet by</strong> {row.suppressedBy.join(", ")}
          </li>
        )}
        {row.flapping && (
          <li>
            <strong>Flapping</strong>: single changes are not told
          </li>
        )}
        {row.notificationsEnabled === false && (
          <li>
            <strong>Notifications are switched off</strong> for this object
          </li>
        )}
        {item.problem && item.soft && (
          <li>
            <strong>Soft</strong>: it is confirmed after {row.maxAttempts} attempts, this is number {row.attempt}
          </li>
        )}
        {because !== undefined && (
          <li>
            {reasonText(because)}
            {because.until && (
              <>
                {" "}
                until <Instant atMs={optionalMs(because.until)} />
              </>
            )}
          </li>
        )}
      </ul>
      <dl className="facts">
        {progress !== undefined && (
          <Fact name="Escalation level" value={`${progress.level}, ${progress.sentAtLevel} sent at it`} />
        )}
        {progress?.last && <Fact name="Last sent" value={<Instant atMs={optionalMs(progress.last)} />} />}
        {progress?.next && <Fact name="Next due" value={<Instant atMs={optionalMs(progress.next)} />} />}
        <Fact name="Period" value={row.notificationPeriod || "always"} />
      </dl>
    </section>
  );
}
