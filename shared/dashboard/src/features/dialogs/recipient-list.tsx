import type { StatusItem } from "../../api/status/status-item.ts";
import { dialogTexts } from "../../texts/dialog-texts.ts";
import { countMessages, manyMessages, recipientsOf } from "./recipients.ts";

/** Contacts that an acknowledgement notifies; above ten messages as a warning with the number for each contact. */
export function RecipientList({ targets }: { targets: readonly StatusItem[] }) {
  const recipients = recipientsOf(targets);
  const messages = countMessages(recipients);
  if (messages === 0) return <p className="hint">{dialogTexts.noContactWasNotifiedOf}</p>;
  if (messages <= manyMessages)
    return <p className="hint">{dialogTexts.notifies(recipients.map(({ contact }) => contact).join(", "))}</p>;
  return (
    <p className="many-messages" role="note">
      <strong>{dialogTexts.messages(messages)}</strong>
      {dialogTexts.willBeSentTurnNotify(recipients.map(({ contact, messages: own }) => `${contact} ${own}`).join(", "))}
    </p>
  );
}
