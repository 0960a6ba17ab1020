import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";
import { useParams } from "@tanstack/react-router";
import { objectCommands, useObjectActions } from "../../api/commands/object-actions.ts";
import { formatObjectName, keyOfPath } from "../../api/status/object-key.ts";
import type { StatusItem } from "../../api/status/status-item.ts";
import { useHistoryPollMs } from "../../api/status/use-history-poll.ts";
import { useSearchParam } from "../../components/controls/use-search-param.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { useShortcuts } from "../../components/keyboard/use-shortcuts.ts";
import { later } from "../../components/layout/later.tsx";
import { ownRealmParam } from "../../components/object/object-link.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { HeatPanel } from "../../features/availability/heat-panel.tsx";
import { useAcknowledgeLink } from "../../features/dialogs/use-acknowledge-link.ts";
import { HistoryList } from "../../features/history/history-list.tsx";
import { IncidentsPanel } from "../../features/history/incidents-panel.tsx";
import { MetricsPanel } from "../../features/metrics/metrics-panel.tsx";
import { CheckPanel } from "../../features/object-details/check-panel.tsx";
import { ConfigurationPanel } from "../../features/object-details/configuration-panel.tsx";
import { CommentsPanel, DowntimesPanel } from "../../features/object-details/entry-panels.tsx";
import { NotificationsPanel } from "../../features/object-details/notifications-panel.tsx";
import { ObjectHead } from "../../features/object-details/object-head.tsx";
import { OutputPanel } from "../../features/object-details/output-panel.tsx";
import { PerfdataPanel } from "../../features/object-details/perfdata-panel.tsx";
import { ServicesPanel } from "../../features/object-details/services-panel.tsx";
import { useObject, useObjectConfiguration } from "../../features/object-details/use-object.ts";
import { RuleView } from "../../features/processes/rule-view.tsx";
import "./object-page.css";

/** Rule of a process; nothing for that of a service level, which has none. */
function RulePanel({ item }: { item: StatusItem }) {
  const { rule = "" } = useObjectConfiguration(item.realm, item.key) ?? {};
  if (rule === "") return null;
  return (
    <section className="card panel">
      <h2>Rule</h2>
      <RuleView item={item} text={rule} />
    </section>
  );
}

const MapPanel = later(
  async () => (await import("../../features/object-map/map-panel.tsx")).MapPanel,
  <p className="muted">Loading…</p>,
);

function ObjectMap({ item }: { item: StatusItem }) {
  const configuration = useObjectConfiguration(item.realm, item.key);
  const loading = <p className="muted">Loading…</p>;
  return (
    <section className="card panel">
      <h2>Map</h2>
      {configuration === undefined ? loading : <MapPanel key={item.id} item={item} configuration={configuration} />}
    </section>
  );
}

function ObjectHistory({ item: { realm, key, row } }: { item: StatusItem }) {
  const pollMs = useHistoryPollMs(row);
  return <HistoryList request={{ realm, object: objectKeyToProto(key) }} withObject={false} pollMs={pollMs} />;
}

/** Page of the object that the address names: state, notifications, history and commands. */
export function ObjectPage() {
  const { realm: realmParam = "", object: name = "", service } = useParams({ strict: false });
  // Link of a message about the object's problem.
  const [ack] = useSearchParam("ack");
  const realm = realmParam === ownRealmParam ? "" : realmParam;
  const object = keyOfPath(name, service);
  usePageTitle(formatObjectName(object));
  const { item, loaded, error } = useObject(realm, object);
  useObjectKeys(item);
  useAcknowledgeLink(ack, item);
  return (
    <article>
      <ObjectHead realm={realm} object={object} item={item} />
      {item !== undefined && <ObjectPanels item={item} />}
      {item === undefined && loaded && (
        <EmptyState title="Object not found" tone="bad">
          <p>
            No {object.kind} of that name is configured{realm !== "" && ` in realm ${realm}`}. It may have been renamed
            or removed.
          </p>
        </EmptyState>
      )}
      {!loaded &&
        (error === null ? (
          <EmptyState title="Loading…" />
        ) : (
          <FailureText error={error} what="The server did not answer." />
        ))}
    </article>
  );
}

function ObjectPanels({ item }: { item: StatusItem }) {
  const { realm, key } = item;
  return (
    <div className="object-grid">
      <div>
        <OutputPanel item={item} />
        {key.kind === "process" && <RulePanel item={item} />}
        <ObjectMap item={item} />
        <HeatPanel item={item} />
        <PerfdataPanel points={item.row.perfdata} />
        <MetricsPanel item={item} />
        <IncidentsPanel item={item} />
        {key.kind === "host" && <ServicesPanel realm={realm} host={key.name} />}
        <section className="card panel">
          <h2>History</h2>
          <ObjectHistory item={item} />
        </section>
      </div>
      <div className="object-side">
        <NotificationsPanel item={item} />
        <DowntimesPanel item={item} />
        <CommentsPanel item={item} />
        <CheckPanel item={item} />
        <ConfigurationPanel item={item} />
      </div>
    </div>
  );
}

function useObjectKeys(item: StatusItem | undefined): void {
  const actions = useObjectActions();
  const items = item === undefined ? [] : [item];
  useShortcuts(Object.fromEntries(objectCommands.map(({ key, action }) => [key, () => actions[action](items)])));
}
