import type { StatusItem } from "../../api/status/status-item.ts";

/** Number of messages above which the recipients are listed as a warning. */
export const manyMessages = 10;

/** Contact with the number of messages that it receives. */
type Recipient = { readonly contact: string; readonly messages: number };

/**
 * Contacts of the last notification of a problem, while the current escalation level is the one that they belong to;
 * undefined before the first notification of the level, whose contacts a row does not have.
 */
function levelContactsOf({ notification }: StatusItem["row"]): ReadonlySet<string> | undefined {
  const { level = 0, sentAtLevel = 0, deliveries = [] } = notification ?? {};
  if (deliveries.length === 0 || (level > 0 && sentAtLevel === 0)) return undefined;
  return new Set(deliveries.map(({ contact }) => contact));
}

/** Number of problems whose notification goes to an escalation level that has sent none so far. */
export const countUnnamed = (targets: readonly StatusItem[]): number =>
  targets.filter(({ row }) => levelContactsOf(row) === undefined && row.notification?.because?.reason !== "no_policy")
    .length;

/** Known contacts that a notification about these problems goes to: those of the current escalation level of each. */
export function recipientsOf(targets: readonly StatusItem[]): readonly Recipient[] {
  const counts = new Map<string, number>();
  for (const { row, realm } of targets) {
    const contacts = levelContactsOf(row) ?? [];
    for (const contact of contacts) {
      const name = realm === "" ? contact : `${contact} (${realm})`;
      counts.set(name, (counts.get(name) ?? 0) + 1);
    }
  }
  return [...counts].map(([contact, messages]) => ({ contact, messages })).sort((a, b) => b.messages - a.messages);
}

export const countMessages = (recipients: readonly Recipient[]): number =>
  recipients.reduce((sum, { messages }) => sum + messages, 0);
