import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { PerfdataSample } from "../../engine/perfdata-sample.ts";
import type { HandlerCall } from "../../handlers/handler-queue.ts";
import type { RowChangeBuilder, RowUpdate } from "../outputs/row-change-builder.ts";
import type { ReadonlyRecord } from "../state/realm-reader.ts";
import type { RoundChanges } from "./round-changes.ts";

/** Receivers of what a round changed. They are called after the changes are durable, and must neither block nor throw. */
export type RoundReceivers = {
  /** Publishes changed rows. */
  rowsChanged(changes: readonly RowUpdate[]): void;
  /** Delivers notifications; each is confirmed by `RealmInputs.deliveriesEnded`. */
  notify(notifications: readonly Notification[]): void;
  /** Runs event handlers; each is confirmed by `RealmInputs.handlerEnded`. */
  handle(calls: readonly HandlerCall[]): void;
  /** Records performance data, which includes that of all commands up to `commandSeq`; 0 for no further one. */
  perfdataReceived?(samples: readonly PerfdataSample[], commandSeq: number): void;
  /** Publishes the realm's toggles and the state of the deliveries to its contacts after a change. */
  programChanged(): void;
};

type RoundPublisherOptions = RoundReceivers & {
  readonly clock: Clock;
  readonly rows: RowChangeBuilder;
};

/** Interval at which changed numbers of pending notifications are published, ms. */
const contactsIntervalMs = 1_000;

/** Publishes what the rounds of a realm loop changed. */
export class RoundPublisher {
  readonly #options: RoundPublisherOptions;
  #cancelContactsTimer: (() => void) | undefined;

  constructor(options: RoundPublisherOptions) {
    this.#options = options;
  }

  /**
   * Publishes the rows that a round changed, those of the objects that it removed, and the realm's catalog: what is read
   * after the answer to a command.
   */
  publishRows(changes: RoundChanges, removed: readonly ReadonlyRecord[]): void {
    const { rows, rowsChanged, programChanged } = this.#options;
    const rowUpdates = rows.build(changes, removed);
    if (rowUpdates.length > 0) rowsChanged(rowUpdates);
    if (changes.programChanged) programChanged();
  }

  /** Publishes what a round changed beside what can be read. */
  publishEffects(changes: RoundChanges): void {
    const receivers = this.#options;
    if (changes.notifications.length > 0) receivers.notify(changes.notifications);
    if (changes.handlerCalls.length > 0) receivers.handle(changes.handlerCalls);
    const { samples, commandSeq } = changes;
    if (samples.length > 0 || commandSeq > 0) receivers.perfdataReceived?.(samples, commandSeq);
    if (changes.contactsChanged && !changes.programChanged) this.#publishContactsLater();
  }

  stop(): void {
    this.#cancelContactsTimer?.();
  }

  /** Publishes the number of pending notifications at most once per interval, because it changes with each one. */
  #publishContactsLater(): void {
    const { clock, programChanged } = this.#options;
    this.#cancelContactsTimer ??= clock.after(contactsIntervalMs, () => {
      this.#cancelContactsTimer = undefined;
      programChanged();
    });
  }
}
