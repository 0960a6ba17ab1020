import type { StatusItem } from "../../api/status/status-item.ts";

/** Number of messages above which the recipients are listed as a warning. */
export const manyMessages = 10;

/** Contact with the number of messages that it receives. */
type Recipient = { readonly contact: string; readonly messages: number };

/**
 * Contacts that a notification about these problems goes to: those of the last notification of each problem, because it
 * goes to the current escalation level. A problem without a notification so far has none.
 */
export function recipientsOf(targets: readonly StatusItem[]): readonly Recipient[] {
  const counts = new Map<string, number>();
  for (const { row, realm } of targets) {
    const contacts = new Set(row.notification?.deliveries.map(({ contact }) => contact));
    for (const contact of contacts) {
      const name = realm === "" ? contact : `${contact} (${realm})`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([contact, messages]) => ({ contact, messages })).sort((a, b) => b.messages - a.messages);
}

export const countMessages = (recipients: readonly Recipient[]): number =>
  recipients.reduce((sum, { messages }) => sum + messages, 0);
