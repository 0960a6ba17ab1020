import type { ContactView } from "../../model/catalog.ts";
import type { DeliveryProgress } from "../../model/notification.ts";
import type { NotificationProgress, WaitingFor } from "../../model/row.ts";
import type { Row } from "../../row/row.ts";
import { addToSet, deleteFromSet } from "../set-index.ts";
import type { LiveEntry } from "./object-entry.ts";

/** Contact of a realm. */
const keyOf = (realm: string, contact: string): string => `${realm}\0${contact}`;

const isPending = ({ state }: DeliveryProgress): boolean => state === "queued" || state === "failing";
const pendingContacts = ({ notification }: Row): readonly string[] =>
  (notification?.deliveries ?? []).filter(isPending).map(({ contact }) => contact);

/**
 * [DL32] Rows of which a delivery waits, by contact, and the contacts that fail. A contact that begins or ends to fail costs
 * the number of rows that wait for it.
 */
export class WaitingIndex {
  /** Times since which contacts fail, Unix ms, by realm and contact. */
  readonly #failingSince = new Map<string, number>();
  readonly #waiting = new Map<string, Set<LiveEntry>>();

  add(entry: LiveEntry): void {
    for (const contact of pendingContacts(entry.row)) addToSet(this.#waiting, keyOf(entry.realm, contact), entry);
  }

  delete(entry: LiveEntry): void {
    for (const contact of pendingContacts(entry.row)) deleteFromSet(this.#waiting, keyOf(entry.realm, contact), entry);
  }

  /** Takes the contacts of a realm into account, and returns the entries of which a delivery waits for a changed one. */
  setContacts(
    realm: string,
    contacts: readonly Pick<ContactView, "name" | "failingSinceMs">[],
  ): ReadonlySet<LiveEntry> {
    const failing = new Map(
      contacts.flatMap(({ name, failingSinceMs }) =>
        failingSinceMs === undefined ? [] : [[keyOf(realm, name), failingSinceMs] as const],
      ),
    );
    const known = [...this.#failingSince.keys()].filter((key) => key.startsWith(keyOf(realm, "")));
    const changed = new Set([...known, ...failing.keys()]).values();
    const affected = new Set<LiveEntry>();
    for (const key of changed) {
      const sinceMs = failing.get(key);
      if (sinceMs === this.#failingSince.get(key)) continue;
      if (sinceMs === undefined) this.#failingSince.delete(key);
      else this.#failingSince.set(key, sinceMs);
      for (const entry of this.#waiting.get(key) ?? []) affected.add(entry);
    }
    return affected;
  }

  /** Row with the failing contact for which it waits; the same row when it has that already. */
  withWaiting(row: Row): Row {
    const { notification } = row;
    if (notification === undefined) return row;
    const waitingFor = this.#waitingForOf(row);
    if (isSame(waitingFor, notification.waitingFor)) return row;
    return { ...row, notification: { ...notification, waitingFor } satisfies NotificationProgress };
  }

  #waitingForOf(row: Row): WaitingFor | undefined {
    let longest: WaitingFor | undefined;
    if (this.#failingSince.size === 0) return longest;
    for (const contact of pendingContacts(row)) {
      const failingSinceMs = this.#failingSince.get(keyOf(row.realm, contact));
      if (failingSinceMs !== undefined && failingSinceMs < (longest?.failingSinceMs ?? Number.POSITIVE_INFINITY))
        longest = { contact, failingSinceMs };
    }
    return longest;
  }
}

const isSame = (a: WaitingFor | undefined, b: WaitingFor | undefined): boolean =>
  a?.contact === b?.contact && a?.failingSinceMs === b?.failingSinceMs;
