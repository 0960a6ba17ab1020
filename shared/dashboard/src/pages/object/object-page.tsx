import type { ObjectKey } from "@realmwatch/shared/model/object-key";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { formatObjectName } from "../../api/status/object-key.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { HeatPanel } from "../../features/availability/heat-panel.tsx";
import { useAcknowledgeLink } from "../../features/dialogs/use-acknowledge-link.ts";
import { HistoryList } from "../../features/history/history-list.tsx";
import { IncidentsPanel } from "../../features/history/incidents-panel.tsx";
import { MetricsPanel } from "../../features/metrics/metrics-panel.tsx";
import { CheckPanel } from "../../features/object-details/check-panel.tsx";
import { CommentsPanel } from "../../features/object-details/comments-panel.tsx";
import { ConfigurationPanel } from "../../features/object-details/configuration-panel.tsx";
import { DowntimesPanel } from "../../features/object-details/downtimes-panel.tsx";
import { NotificationsPanel } from "../../features/object-details/notifications-panel.tsx";
import { ObjectHead } from "../../features/object-details/object-head.tsx";
import { OutputPanel } from "../../features/object-details/output-panel.tsx";
import { PerfdataPanel } from "../../features/object-details/perfdata-panel.tsx";
import { ServicesPanel } from "../../features/object-details/services-panel.tsx";
import { useObject } from "../../features/object-details/use-object.ts";
import { useObjectKeys } from "../../features/object-details/use-object-keys.ts";
import "./object-page.css";

/** Page of one object: state, notifications, history and commands. `ack`: link of a message about its problem. */
export function ObjectPage({ realm, object, ack }: { realm: string; object: ObjectKey; ack?: string | undefined }) {
  usePageTitle(formatObjectName(object));
  const { item, loaded, error } = useObject(realm, object);
  useObjectKeys(item);
  useAcknowledgeLink(ack, item);
  if (item === undefined)
    return (
      <>
        <h1>{formatObjectName(object)}</h1>
        {loaded && (
          <EmptyState title="Object not found" tone="bad">
            <p>
              No {object.kind} of that name is configured{realm !== "" && ` in realm ${realm}`}. It may have been
              renamed or removed.
            </p>
          </EmptyState>
        )}
        {!loaded &&
          (error === null ? (
            <EmptyState title="Loading…" />
          ) : (
            <FailureText error={error} what="The server did not answer." />
          ))}
      </>
    );
  return (
    <article>
      <ObjectHead item={item} />
      <div className="object-grid">
        <div>
          <OutputPanel item={item} />
          <HeatPanel item={item} />
          <PerfdataPanel points={item.row.perfdata} />
          <MetricsPanel item={item} />
          <IncidentsPanel item={item} />
          {object.kind === "host" && <ServicesPanel realm={realm} host={object.name} />}
          <section className="panel">
            <h2>History</h2>
            <HistoryList request={{ realm, object: objectKeyToProto(object) }} withObject={false} />
          </section>
        </div>
        <div className="object-side">
          <NotificationsPanel item={item} />
          <DowntimesPanel item={item} />
          <CommentsPanel item={item} />
          <CheckPanel item={item} />
          <ConfigurationPanel realm={realm} object={object} />
        </div>
      </div>
    </article>
  );
}
