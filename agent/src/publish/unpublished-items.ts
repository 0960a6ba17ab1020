import type { Clock } from "@realmwatch/shared/model/clock";
import { type Unpublished, type UnpublishedKind, unpublishedKinds } from "@realmwatch/shared/wire/unpublished";
import type { JetStreamSender } from "./jetstream-sender.ts";

/** Dependencies of the publishers of rows, of the catalog and of history records. */
export type PublicationTools = {
  readonly realm: string;
  readonly clock: Clock;
  readonly sender: JetStreamSender;
  readonly unpublished: UnpublishedItems;
};

/**
 * [FD70] Rows, catalog parts and history records that NATS does not store, by name, with the reason of each. They are
 * part of what the heartbeat claims, until they are stored or replaced. Costs O(1) for each change.
 */
export class UnpublishedItems {
  readonly #reasons: Readonly<Record<UnpublishedKind, Map<string, string>>> = {
    row: new Map(),
    catalog: new Map(),
    record: new Map(),
  };

  set(kind: UnpublishedKind, name: string, reason: string): void {
    this.#reasons[kind].set(name, reason);
  }

  /** Removes an item, if it is there: it was stored, or does not exist any more. */
  delete(kind: UnpublishedKind, name: string): void {
    this.#reasons[kind].delete(name);
  }

  /** One entry for each kind of which there are items. */
  list(): readonly Unpublished[] {
    return unpublishedKinds.flatMap((kind) => {
      const [entry] = this.#reasons[kind];
      return entry === undefined ? [] : [{ kind, number: this.#reasons[kind].size, first: entry[0], reason: entry[1] }];
    });
  }
}
