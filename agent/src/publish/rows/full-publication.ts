import { toBinary } from "@bufbuild/protobuf";
import { RealmEpochSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { RowChange } from "@realmwatch/shared/row/row";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { epochSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { CatalogPublisher } from "../catalog-publisher.ts";
import { mintEpoch } from "../epoch.ts";
import type { JetStreamSender } from "../jetstream-sender.ts";
import { AllRows } from "./all-rows.ts";
import type { RowPublisher } from "./row-publisher.ts";

/** Time after which a refused message is sent again, ms. */
const refusedAgainAfterMs = 30_000;

type FullPublicationOptions = {
  readonly realm: string;
  readonly clock: Clock;
  readonly log: Pick<Log, "info">;
  readonly sender: JetStreamSender;
  readonly rows: RowPublisher;
  readonly catalog: Pick<CatalogPublisher, "publishAll">;
  readonly closing: AbortSignal;
  readonly firstEpoch: number;
  allRows(): Iterable<RowChange>;
  /** Called with a newly minted epoch before `allRows` is read again. */
  onEpoch(epoch: number): void;
  /** Called when the publication of a newly minted epoch has begun. */
  onEpochBegun(): void;
};

/** Publication of all rows of an epoch, framed by its markers, and of the catalog. */
export class FullPublication {
  readonly #options: FullPublicationOptions;
  #epoch: number;
  /** Rows of the last `publishAll`; undefined before. */
  #all: AllRows | undefined;
  #isComplete = false;

  constructor(options: FullPublicationOptions) {
    this.#options = options;
    this.#epoch = options.firstEpoch;
  }

  epoch(): number {
    return this.#epoch;
  }

  /** True once the rows have been published for the first time, or are being published. */
  isBegun(): boolean {
    return this.#all !== undefined;
  }

  /** True when all rows of the epoch have been stored, and its marker behind them. */
  isComplete(): boolean {
    return this.#isComplete;
  }

  /** Publishes all rows, the marker and the catalog, again if they were published before. */
  publishAll(): void {
    const { rows, catalog, allRows } = this.#options;
    const all = new AllRows(allRows(), (count) => void this.#sendMarker(all, count));
    [this.#all, this.#isComplete] = [all, false];
    rows.publishAll(this.#epoch, all);
    void this.#sendMarker(all, undefined);
    catalog.publishAll(this.#epoch);
  }

  /** Mints an epoch above `greatestKnown` and the present one, and publishes all rows: rows of a smaller one would be ignored. */
  renewEpoch(greatestKnown: number): void {
    const { realm, clock, log, onEpoch, onEpochBegun } = this.#options;
    this.#epoch = mintEpoch(clock.now(), this.#epoch, greatestKnown);
    log.info({ realm, epoch: this.#epoch }, "publisher: all rows are published under a new epoch");
    onEpoch(this.#epoch);
    this.publishAll();
    onEpochBegun();
  }

  /** Publishes the epoch marker. `rowCount` undefined: the epoch has begun; else all of its rows are stored. */
  async #sendMarker(all: AllRows, rowCount: number | undefined): Promise<void> {
    const { realm, clock, log } = this.#options;
    const epoch = this.#epoch;
    const complete = rowCount !== undefined;
    const marker = () =>
      toBinary(RealmEpochSchema, {
        $typeName: "svc.v1.RealmEpoch",
        ...{ realm, epoch: BigInt(epoch), complete, rows: rowCount ?? 0 },
        at: timestampToProto(clock.now()),
      });
    const isCurrent = () => all === this.#all && all.isComplete === complete;
    if (!(await this.#sendUntilStored(marker, isCurrent)) || !complete || !isCurrent()) return;
    this.#isComplete = true;
    log.info({ realm, epoch, rows: rowCount }, "publisher: all rows are published");
  }

  /** Sends until the marker is stored. Returns false when `wanted` has changed to false, or at close. */
  async #sendUntilStored(marker: () => Uint8Array, wanted: () => boolean): Promise<boolean> {
    const { realm, clock, sender, closing } = this.#options;
    for (;;) {
      await sender.whenOpen(closing);
      if (closing.aborted || !wanted()) return false;
      const sent = await sender.send({ subject: epochSubject(realm), data: marker() });
      if (sent.kind === "stored") return true;
      if (sent.kind === "refused") await sleep(clock, refusedAgainAfterMs, closing);
    }
  }
}
