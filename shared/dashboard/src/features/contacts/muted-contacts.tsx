import { Link } from "@tanstack/react-router";
import { slowPollMs, useContacts } from "../../api/contacts/use-contacts.ts";
import { MuteText } from "../../components/object/mute-text.tsx";
import "./muted-contacts.css";

/** Muted contacts with author, end and reason, longest muted first. Empty without muted contacts. */
export function MutedContacts() {
  const { contacts = [] } = useContacts(slowPollMs);
  const startOf = ({ mutedAt }: (typeof contacts)[number]): number => Number(mutedAt?.seconds ?? 0);
  const muted = contacts
    .filter(({ notificationsEnabled }) => notificationsEnabled === false)
    .sort((a, b) => startOf(a) - startOf(b));
  if (muted.length === 0) return null;
  return (
    <section aria-label="Muted contacts">
      <ul className="muted-contacts">
        {muted.map((contact) => (
          <li key={`${contact.realm}/${contact.name}`}>
            Contact <Link to="/contacts">{contact.name}</Link>
            {contact.realm !== "" && ` in ${contact.realm}`}: <MuteText contact={contact} />
          </li>
        ))}
      </ul>
    </section>
  );
}
