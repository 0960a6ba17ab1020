import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { Link } from "@tanstack/react-router";
import { useServerInfo } from "../../api/server/server-info.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { PageHead } from "../../components/page-title/page-head.tsx";
import { ContactDeliveryFacts } from "../../features/contacts/contact-delivery-facts.tsx";
import { ContactSwitch } from "../../features/contacts/contact-switch.tsx";
import { useContacts } from "../../features/contacts/use-contacts.ts";
import "../../components/table/plain-table.css";
import "./contacts.css";

/** Contacts with the state of their deliveries and their notification switches. The servers never send addresses of contacts. */
export function ContactsPage() {
  const { info } = useServerInfo();
  const { contacts, error } = useContacts();
  return (
    <>
      <PageHead title="Contacts" count={contacts && countText(contacts)}>
        <Link to="/history" search={{ show: "notifications" }} className="page-link">
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
  return `${contacts.length}${failing > 0 ? `, ${failing} failing` : ""}${off > 0 ? `, ${off} disabled` : ""}`;
}

function ContactTable({ contacts, aggregator }: { contacts: readonly Contact[]; aggregator: boolean }) {
  return (
    <table className="plain-table card-table contact-table">
      <thead>
        <tr>
          <th scope="col">Contact</th>
          {aggregator && <th scope="col">Realm</th>}
          <th scope="col">Type</th>
          <th scope="col">Notification period</th>
          <th scope="col">Labels</th>
          <th scope="col">Deliveries</th>
          <th scope="col">Notifications</th>
        </tr>
      </thead>
      <tbody>
        {contacts.map((contact) => (
          <tr key={`${contact.realm}/${contact.name}`}>
            <th scope="row">{contact.name}</th>
            {aggregator && (
              <td data-label="Realm">
                {contact.realm}
                <StaleMark realm={contact.realm} />
              </td>
            )}
            <td data-label="Type">{contact.type.replaceAll("_", " ")}</td>
            <td data-label="Period">{contact.notificationPeriod || <span className="muted">always</span>}</td>
            <td data-label="Labels">
              {Object.entries(contact.labels).map(([key, value]) => (
                <span key={key} className="label">
                  {key}={value}
                </span>
              ))}
            </td>
            <td data-label="Deliveries">
              <ContactDeliveryFacts contact={contact} />
            </td>
            <td data-label="Notifications">
              <ContactSwitch contact={contact} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
