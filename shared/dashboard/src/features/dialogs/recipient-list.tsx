import type { StatusItem } from "../../api/status/status-item.ts";
import { countMessages, manyMessages, recipientsOf } from "./recipients.ts";

/** Contacts that an acknowledgement notifies; above ten messages as a warning with the number for each contact. */
export function RecipientList({ targets }: { targets: readonly StatusItem[] }) {
  const recipients = recipientsOf(targets);
  const messages = countMessages(recipients);
  if (messages === 0)
    return <p className="hint">No contact was notified of these problems, so none is notified now.</p>;
  if (messages <= manyMessages)
    return <p className="hint">Notifies {recipients.map(({ contact }) => contact).join(", ")}.</p>;
  return (
    <p className="many-messages" role="note">
      <strong>{messages} messages</strong> will be sent:{" "}
      {recipients.map(({ contact, messages: own }) => `${contact} ${own}`).join(", ")}. Turn Notify off to send none.
    </p>
  );
}
