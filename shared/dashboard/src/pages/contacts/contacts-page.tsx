import type { Contact } from "@realmwatch/proto/svc/v1/query_pb";
import { Link } from "@tanstack/react-router";
import { useServerInfo } from "../../api/server/server-info.ts";
import { EmptyState } from "../../components/feedback/empty-state.tsx";
import { FailureText } from "../../components/feedback/failure-text.tsx";
import { StaleMark } from "../../components/object/stale-mark.tsx";
import { usePageTitle } from "../../components/page-title/use-page-title.ts";
import { ContactDeliveryFacts } from "../../features/contacts/contact-delivery-facts.tsx";
import { ContactSwitch } from "../../features/contacts/contact-switch.tsx";
import { useContacts } from "../../features/contacts/use-contacts.ts";
import { contactTexts } from "../../texts/contact-texts.ts";
import "../../components/table/plain-table.css";
import "./contacts.css";

/** Contacts with the state of their deliveries and their notification switches. The servers never send addresses of contacts. */
export function ContactsPage() {
  usePageTitle(contactTexts.contacts);
  const { info } = useServerInfo();
  const { contacts, error } = useContacts();
  const off = contacts?.filter(({ notificationsEnabled }) => notificationsEnabled === false).length ?? 0;
  const failing = contacts?.filter(({ failingSince }) => failingSince !== undefined).length ?? 0;
  return (
    <>
      <header className="page-head">
        <h1>{contactTexts.contacts}</h1>
        {contacts !== undefined && (
          <p className="page-count" aria-live="polite">
            {contacts.length}
            {failing > 0 && contactTexts.failingCount(failing)}
            {off > 0 && contactTexts.disabled(off)}
          </p>
        )}
        <Link to="/history" search={{ show: "notifications" }} className="page-link">
          {contactTexts.notificationHistory}
        </Link>
      </header>
      {error !== null && <FailureText error={error} what={contactTexts.contactsAreNotAvailable} />}
      {contacts?.length === 0 && (
        <EmptyState title={contactTexts.noContactsAreConfigured}>
          <p>{contactTexts.noContactIsNotifiedUntil}</p>
        </EmptyState>
      )}
      {contacts !== undefined && contacts.length > 0 && (
        <ContactTable contacts={contacts} aggregator={info?.aggregator === true} />
      )}
    </>
  );
}

function ContactTable({ contacts, aggregator }: { contacts: readonly Contact[]; aggregator: boolean }) {
  return (
    <table className="plain-table card-table contact-table">
      <thead>
        <tr>
          <th scope="col">{contactTexts.contact}</th>
          {aggregator && <th scope="col">{contactTexts.realm}</th>}
          <th scope="col">{contactTexts.type}</th>
          <th scope="col">{contactTexts.notificationPeriod}</th>
          <th scope="col">{contactTexts.labels}</th>
          <th scope="col">{contactTexts.deliveries}</th>
          <th scope="col">{contactTexts.notifications}</th>
        </tr>
      </thead>
      <tbody>
        {contacts.map((contact) => (
          <tr key={`${contact.realm}/${contact.name}`}>
            <th scope="row">{contact.name}</th>
            {aggregator && (
              <td data-label={contactTexts.realm}>
                {contact.realm}
                <StaleMark realm={contact.realm} />
              </td>
            )}
            <td data-label={contactTexts.type}>{contact.type.replaceAll("_", " ")}</td>
            <td data-label={contactTexts.period}>
              {contact.notificationPeriod || <span className="muted">{contactTexts.always}</span>}
            </td>
            <td data-label={contactTexts.labels}>
              {Object.entries(contact.labels).map(([key, value]) => (
                <span key={key} className="label">
                  {key}={value}
                </span>
              ))}
            </td>
            <td data-label={contactTexts.deliveries}>
              <ContactDeliveryFacts contact={contact} />
            </td>
            <td data-label={contactTexts.notifications}>
              <ContactSwitch contact={contact} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
