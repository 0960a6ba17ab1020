import type { UnmappedAlert } from "@realmwatch/proto/svc/v1/query_pb";
import { useServerInfo } from "../../api/server/server-info.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { LabelList } from "../../components/object/label-list.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { DateTime } from "../../components/time/time-text.tsx";

/** Table of the alerts that match no object and therefore cause no notification. Empty without such alerts. */
export function UnmappedAlertTable() {
  const { info } = useServerInfo();
  const alerts = info?.unmappedAlerts ?? [];
  if (alerts.length === 0) return null;
  return (
    <section aria-labelledby="unmapped-alerts">
      <h2 id="unmapped-alerts">Alerts about no object</h2>
      <p>Nobody is notified of these alerts, because the configuration has no object for them.</p>
      <PlainTable
        className="card card-table"
        rows={alerts}
        keyOf={({ realm, receiver, labels }) => `${realm} ${receiver} ${JSON.stringify(labels)}`}
        columns={[
          { title: "Labels", isName: true, cell: ({ labels }) => <LabelList labels={labels} /> },
          ...(info?.aggregator === true ? [{ title: "Realm", cell: ({ realm }: UnmappedAlert) => realm }] : []),
          { title: "Receiver", cell: ({ receiver }) => receiver },
          { title: "Alerts", className: "number", cell: ({ count }) => count },
          { title: "First seen", cell: ({ firstSeen }) => <DateTime atMs={optionalMs(firstSeen)} /> },
          { title: "Last seen", cell: ({ lastSeen }) => <DateTime atMs={optionalMs(lastSeen)} /> },
        ]}
      />
    </section>
  );
}
