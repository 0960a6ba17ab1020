import { type CueObject, unusedName } from "./imported-document.ts";

const allStatuses = ["WARNING", "CRITICAL", "UNKNOWN", "UNREACHABLE"];

/** Statuses of problems without those that something leaves out. */
export const statusesWithout = (left: readonly string[]): readonly string[] =>
  allStatuses.filter((status) => !left.includes(status));

/** Fields of a level: its contacts, sorted, and its statuses where it does not send all. */
export type LevelRecipients = CueObject & { readonly contacts: readonly string[] };

/**
 * Recipients of a level. Where its contacts are notified of different statuses, a contact that gets fewer than the level
 * sends is another one with these statuses, which is added to the contacts of the document.
 *
 * @param wanted statuses of each contact; one without any is left out
 */
export function levelRecipients(wanted: ReadonlyMap<string, readonly string[]>, contacts: CueObject): LevelRecipients {
  const recipients = [...wanted]
    .map(([name, statuses]) => [name, allStatuses.filter((status) => statuses.includes(status))] as const)
    .filter(([, statuses]) => statuses.length > 0);
  const sent = allStatuses.filter((status) => recipients.some(([, statuses]) => statuses.includes(status)));
  const names = recipients.map(([name, statuses]) =>
    statuses.length === sent.length ? name : contactOfStatuses(name, statuses, contacts),
  );
  return { contacts: names.toSorted(), ...(sent.length === allStatuses.length ? {} : { statuses: sent }) };
}

/** Name of a contact that is as another one, but notified of some statuses only. */
function contactOfStatuses(name: string, statuses: readonly string[], contacts: CueObject): string {
  if (!Object.hasOwn(contacts, name)) return name;
  const contact = { ...(contacts[name] as CueObject), statuses };
  const left = statusesWithout(statuses);
  const words = left.length < statuses.length ? ["without", ...left] : statuses;
  const wish = [name, ...words].join("-").toLowerCase();
  const isSame = (key: string): boolean => JSON.stringify(contacts[key]) === JSON.stringify(contact);
  if (isSame(wish)) return wish;
  const variant = unusedName(wish, contacts);
  contacts[variant] = contact;
  return variant;
}
