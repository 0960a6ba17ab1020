import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { Link } from "@tanstack/react-router";
import { useContacts } from "../../api/contacts/use-contacts.ts";
import { useServerInfo } from "../../api/server/server-info.ts";
import { optionalMs } from "../../api/status/status-item.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { LabelList } from "../../components/object/label-list.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { PlainTable } from "../../components/table/plain-table.tsx";
import { DateTime } from "../../components/time/time-text.tsx";
import { MuteCell } from "../../features/contacts/mute-cell.tsx";
import "./contacts.css";
import "../../components/object/word.css";

/** Contacts with the state of their deliveries and their mutes. The servers never send addresses of contacts. */
export function ContactsPage() {
  const { info } = useServerInfo();
  const { contacts, error } = useContacts();
  return (
    <>
      <PageHead title="Contacts" count={contacts && countText(contacts)}>
        <Link to="/history" search={{ show: "notifications" }} className="tools page-link">
          Notification history
        </Link>
      </PageHead>
      {error !== null && <FailureText error={error} what="Contacts are not available." />}
      {contacts?.length === 0 && (
        <EmptyState title="No contacts are configured">
          <p>
            No contact is notified until the configuration declares contacts and notification policies that name them.
          </p>
        </EmptyState>
      )}
      {contacts !== undefined && contacts.length > 0 && (
        <ContactTable contacts={contacts} aggregator={info?.aggregator === true} />
      )}
    </>
  );
}

function countText(contacts: readonly Contact[]): string {
  const off = contacts.filter(({ notificationsEnabled }) => notificationsEnabled === false).length;
  const failing = contacts.filter(({ failingSince }) => failingSince !== undefined).length;
  return `${contacts.length}${failing > 0 ? `, ${failing} failing` : ""}${off > 0 ? `, ${off} muted` : ""}`;
}

function ContactTable({ contacts, aggregator }: { contacts: readonly Contact[]; aggregator: boolean }) {
  return (
    <PlainTable
      className="card card-table contact-table"
      rows={contacts}
      keyOf={({ realm, name }) => `${realm}/${name}`}
      columns={[
        { title: "Contact", isName: true, cell: ({ name }) => name },
        aggregator && { title: "Realm", cell: ({ realm }) => [realm, <StaleMark key="stale" realm={realm} />] },
        { title: "Type", cell: ({ type }) => type.replaceAll("_", " ") },
        {
          ...{ title: "Notification period", label: "Period" },
          cell: ({ notificationPeriod }) => notificationPeriod || <span className="muted">always</span>,
        },
        { title: "Labels", cell: ({ labels }) => <LabelList labels={labels} /> },
        { title: "Deliveries", cell: (contact) => <ContactDeliveryFacts contact={contact} /> },
        { title: "Notifications", cell: (contact) => <MuteCell contact={contact} /> },
      ]}
    />
  );
}

/** State of the deliveries to a contact: failing and why, or the last delivery; and the pending notifications. */
function ContactDeliveryFacts({ contact: { failingSince, lastError, lastDelivered, queued } }: { contact: Contact }) {
  return (
    <>
      {failingSince === undefined ? (
        <LastDelivery atMs={optionalMs(lastDelivered)} />
      ) : (
        <>
          <span className="word is-bad">Failing</span> since <DateTime atMs={optionalMs(failingSince)} />
          {lastError !== "" && <div className="delivery-error">{lastError}</div>}
        </>
      )}
      {queued > 0 && <div className="muted">{queued} queued</div>}
    </>
  );
}

function LastDelivery({ atMs }: { atMs: number | undefined }) {
  if (atMs === undefined) return <span className="muted">none yet</span>;
  return (
    <span className="muted">
      last delivered <DateTime atMs={atMs} />
    </span>
  );
}
