import type { NotificationProgress } from "@realmwatch/proto/svc/v1/query_pb";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { DecisionText } from "../../components/object/decision-text.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { DateTime, DueTime, useOverdue } from "../../components/time/time-text.tsx";
import { Fact } from "./fact.tsx";
import { suppressorsOf } from "./suppressors.ts";
import { useObjectConfiguration } from "./use-object.ts";

/** Why somebody was, or was not, told; the question of every morning after. */
export function NotificationsPanel({ item }: { item: StatusItem }) {
  const { row } = item;
  const because = row.notification?.because;
  return (
    <section className="panel" aria-labelledby="why-title">
      <h2 id="why-title">{item.handled ? "Why it is quiet" : "Notifications"}</h2>
      <ul className="reasons">
        <Acknowledged item={item} />
        {row.inDowntime && <InDowntime item={item} />}
        {row.suppressedBy.length > 0 && <SuppressedBy item={item} />}
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
          <li className="last-reason">
            {because.reason !== "sent" && <strong>Not told: </strong>}
            <DecisionText because={because} object={item.key} />
          </li>
        )}
      </ul>
      <Progress progress={row.notification} problem={item.problem} period={row.notificationPeriod} />
    </section>
  );
}

type ProgressProps = { progress: NotificationProgress | undefined; problem: boolean; period: string };

/** Where the problem stands in its policy. */
function Progress({ progress, problem, period }: ProgressProps) {
  const nextAtMs = progress?.next && optionalMs(progress.next);
  const heldBack = useOverdue(nextAtMs);
  return (
    <dl className="facts">
      {progress !== undefined && problem && (
        <>
          <Fact name="Escalation level" value={progress.level} />
          <Fact name="Sent at it" value={messages(progress.sentAtLevel)} />
        </>
      )}
      {progress?.last && <Fact name="Last message" value={<DateTime atMs={optionalMs(progress.last)} />} />}
      {problem && progress !== undefined && (
        <Fact
          name={heldBack ? "Kept back since" : "Next message"}
          value={nextAtMs === undefined ? <span className="muted">none is planned</span> : <DueTime atMs={nextAtMs} />}
        />
      )}
      <Fact name="Period" value={period || "always"} />
    </dl>
  );
}

const messages = (count: number): string =>
  count === 0 ? "nothing yet" : count === 1 ? "1 message" : `${count} messages`;

function Acknowledged({ item: { row } }: { item: StatusItem }) {
  const ack = row.acknowledgement;
  if (ack === undefined) return null;
  return (
    <li>
      <strong>Acknowledged</strong> by {ack.author || "somebody"}
      {ack.onBehalfOf !== "" && ` for ${ack.onBehalfOf}`}, {ack.sticky ? "until recovery" : "until the state changes"}
      <blockquote>{ack.comment}</blockquote>
      <span className="muted">
        <DateTime atMs={optionalMs(ack.at)} />
        {ack.expiresAt && (
          <>
            {" "}
            · ends <DateTime atMs={optionalMs(ack.expiresAt)} />
          </>
        )}
      </span>
    </li>
  );
}

function InDowntime({ item: { key, realm, row } }: { item: StatusItem }) {
  const own = row.downtimes.some(({ inEffect }) => inEffect);
  return (
    <li>
      <strong>In downtime</strong>
      {!own && key.kind === "service" && (
        <>
          {" "}
          of its host{" "}
          <ObjectLink realm={realm} object={{ kind: "host", name: key.host }} className="">
            {key.host}
          </ObjectLink>
        </>
      )}
    </li>
  );
}

/** What keeps the problem quiet, each with a link where it is an object. */
function SuppressedBy({ item: { key, realm, row } }: { item: StatusItem }) {
  const parents = useObjectConfiguration(realm, key)?.parents ?? [];
  return suppressorsOf(key, row.suppressedBy, parents).map((holder) => (
    <li key={holder.name}>
      <strong>Kept quiet by</strong>{" "}
      {holder.kind === "host" ? (
        <>
          its {holder.role}{" "}
          <ObjectLink realm={realm} object={{ kind: "host", name: holder.name }} className="">
            {holder.name}
          </ObjectLink>
        </>
      ) : (
        `dependency “${holder.name}”`
      )}
    </li>
  ));
}
