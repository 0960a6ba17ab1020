import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import type { NotificationProgress } from "@realmwatch/proto/svc/v1/query_pb";
import { hasDecided, isOfEarlierProblem } from "@realmwatch/shared/view/notification-decision";
import { personText } from "@realmwatch/shared/view/person";
import { counted } from "@realmwatch/shared/view/plural";
import { slowPollMs, useContacts } from "../../api/contacts/use-contacts.ts";
import { useNow } from "../../api/context/app-context.tsx";
import { useServerInfo } from "../../api/server/server-info.ts";
import { useRealm } from "../../api/status/overview.ts";
import { optionalMs, type StatusItem } from "../../api/status/status-item.ts";
import { DecisionText } from "../../components/object/decision-text.tsx";
import { Fact } from "../../components/object/fact.tsx";
import { MuteText } from "../../components/object/mute-text.tsx";
import { ObjectLink } from "../../components/object/object-link.tsx";
import { DateTime, DueTime, useOverdue } from "../../components/time/time-text.tsx";
import { decisionLabel } from "./decision-label.ts";
import { DeliveriesList } from "./deliveries-list.tsx";
import { suppressorsOf } from "./suppressors.ts";
import { useObjectConfiguration } from "./use-object.ts";

/** Notification state of an object: why notifications are suppressed, and the progress through the policy. */
export function NotificationsPanel({ item }: { item: StatusItem }) {
  const { row } = item;
  const decision = row.notification?.because;
  return (
    <section className="card panel" aria-labelledby="notifications-title">
      <h2 id="notifications-title">Notifications</h2>
      <ul className="reasons">
        <Acknowledged item={item} />
        {row.inDowntime && <InDowntime item={item} />}
        {row.suppressedBy.length > 0 && <SuppressedBy item={item} />}
        {row.flapping && (
          <li>
            <strong>Flapping</strong>: state changes are suppressed while flapping
          </li>
        )}
        {row.notificationsEnabled === false && (
          <li>
            <strong>Notifications are disabled</strong> for this object
          </li>
        )}
        {item.problem && item.soft && (
          <li>
            <strong>Soft</strong>: attempt {row.attempt} of {row.maxAttempts}
          </li>
        )}
        {decision !== undefined && <LastDecision item={item} decision={decision} />}
      </ul>
      <DeliveriesList
        deliveries={row.notification?.deliveries ?? []}
        isEarlier={(delivery) =>
          item.problem && row.notification !== undefined && isOfEarlierProblem(delivery, row.notification)
        }
      />
      <Progress
        progress={row.notification}
        problem={item.problem}
        acknowledged={row.acknowledgement !== undefined}
        period={row.notificationPeriod}
      />
    </section>
  );
}

/** Reason of the last decision, labelled as present or past. */
function LastDecision({ item, decision }: { item: StatusItem; decision: Because }) {
  const realmNotifications = useRealmNotifications(item.realm);
  const label = decisionLabel(decision, { row: item.row, realmNotifications, nowMs: useNow() });
  if (label === undefined) return null;
  return (
    <li className="last-reason">
      <strong>{label}</strong>
      <DecisionText decision={decision} object={item.key} />
      {decision.reason === "contact_off" && <MuteBehind realm={item.realm} name={decision.name} />}
    </li>
  );
}

/** Mute of the contact that a decision names, with author and reason, while it lasts. */
function MuteBehind({ realm, name }: { realm: string; name: string }) {
  const contact = useContacts(slowPollMs).contacts?.find((one) => one.name === name && one.realm === realm);
  if (contact === undefined || contact.notificationsEnabled !== false) return null;
  return (
    <blockquote>
      {name}: <MuteText contact={contact} />
    </blockquote>
  );
}

/** Switch for the notifications of a realm; undefined when it is not known. */
function useRealmNotifications(realm: string): boolean | undefined {
  const { info } = useServerInfo();
  const owner = useRealm(realm);
  const toggles = realm === "" ? info?.toggles : owner?.toggles;
  return toggles?.notificationsEnabled;
}

type ProgressProps = {
  progress: NotificationProgress | undefined;
  problem: boolean;
  acknowledged: boolean;
  period: string;
};

/** Progress of the problem through its notification policy. */
function Progress({ progress, problem, acknowledged, period }: ProgressProps) {
  const nextAtMs = progress?.next && optionalMs(progress.next);
  const suppressed = useOverdue(nextAtMs);
  return (
    <dl className="facts">
      {progress !== undefined && problem && (
        <>
          <Fact name="Escalation level">{progress.level}</Fact>
          <Fact name="Decided at this level">{countText(progress.sentAtLevel)}</Fact>
        </>
      )}
      {progress?.last && (!problem || hasDecided(progress)) && (
        <Fact name="Last decided">
          <DateTime atMs={optionalMs(progress.last)} />
        </Fact>
      )}
      {problem && progress !== undefined && (
        <Fact name={suppressed && !acknowledged ? "Suppressed since" : "Next notification"}>
          {nextAtMs === undefined || acknowledged ? (
            <span className="muted">{acknowledged ? "none while it is acknowledged" : "none scheduled"}</span>
          ) : (
            <DueTime atMs={nextAtMs} />
          )}
        </Fact>
      )}
      <Fact name="Notification period">{period || "always"}</Fact>
    </dl>
  );
}

const countText = (count: number): string => (count === 0 ? "none yet" : counted(count, "notification"));

function Acknowledged({ item: { row } }: { item: StatusItem }) {
  const ack = row.acknowledgement;
  if (ack === undefined) return null;
  return (
    <li>
      <strong>Acknowledged</strong> by {personText(ack) || "unknown"},{" "}
      {ack.sticky ? "until recovery" : "until the state changes"}
      <blockquote>{ack.comment}</blockquote>
      <span className="muted">
        <DateTime atMs={optionalMs(ack.at)} />
        {ack.expiresAt && (
          <>
            {" "}
            · expires <DateTime atMs={optionalMs(ack.expiresAt)} />
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
          of the host{" "}
          <ObjectLink realm={realm} object={{ kind: "host", name: key.host }} className="">
            {key.host}
          </ObjectLink>
        </>
      )}
    </li>
  );
}

/** Objects and dependencies that suppress the notifications, with links to the objects. */
function SuppressedBy({ item: { key, realm, row } }: { item: StatusItem }) {
  const parents = useObjectConfiguration(realm, key)?.parents ?? [];
  return suppressorsOf(key, row.suppressedBy, parents).map((suppressor) => (
    <li key={suppressor.name}>
      <strong>Suppressed by</strong>{" "}
      {suppressor.kind === "host" ? (
        <>
          its {suppressor.role}{" "}
          <ObjectLink realm={realm} object={{ kind: "host", name: suppressor.name }} className="">
            {suppressor.name}
          </ObjectLink>
        </>
      ) : (
        `dependency “${suppressor.name}”`
      )}
    </li>
  ));
}
