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
import type { RowPublisher } from "./row-publisher.ts";

/** Publication of all rows of an epoch, framed by its markers, and of the catalog. */
export type FullPublication = {
  epoch(): number;
  /** True once the rows have been published for the first time, or are being published. */
  isBegun(): boolean;
  /** True when all rows of the epoch have been stored, and its marker behind them. */
  isComplete(): boolean;
  /** Publishes all rows, the marker and the catalog, again if they were published before. */
  publishAll(): void;
  /** Mints an epoch above `greatestKnown` and the present one, and publishes all rows: rows of a smaller one would be ignored. */
  renewEpoch(greatestKnown: number): void;
};

/** Time after which a refused message is sent again, ms. */
const refusedAgainAfterMs = 30_000;

export function openFullPublication(io: {
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
}): FullPublication {
  const { realm, clock, log, sender, rows, closing } = io;
  let epoch = io.firstEpoch;
  let begun = false;
  let complete = false;

  function publishAll(): void {
    [begun, complete] = [true, false];
    const of = epoch;
    rows.startEpoch(of);
    rows.sendAll(io.allRows(), (count) => void sendMarker(of, count));
    void sendMarker(of, undefined);
    io.catalog.publishAll(of);
  }

  /** Publishes the epoch marker. `rowCount` undefined: the epoch has begun; else all of its rows are stored. */
  async function sendMarker(of: number, rowCount: number | undefined): Promise<void> {
    const marker = () =>
      toBinary(RealmEpochSchema, {
        $typeName: "svc.v1.RealmEpoch",
        realm,
        epoch: BigInt(of),
        complete: rowCount !== undefined,
        rows: rowCount ?? 0,
        at: timestampToProto(clock.now()),
      });
    const isCurrent = () => of === epoch && rows.isPublishingAll() === (rowCount === undefined);
    if (!(await sendUntilStored(epochSubject(realm), marker, isCurrent)) || rowCount === undefined) return;
    if (!isCurrent()) return;
    complete = true;
    log.info({ realm, epoch, rows: rowCount }, "publisher: all rows are published");
  }

  /** Sends until the message is stored. Returns false when it is no longer `wanted`, or at close. */
  async function sendUntilStored(subject: string, data: () => Uint8Array, wanted: () => boolean): Promise<boolean> {
    for (;;) {
      await sender.whenOpen(closing);
      if (closing.aborted || !wanted()) return false;
      const sent = await sender.send({ subject, data: data() });
      if (sent.kind === "stored") return true;
      if (sent.kind === "refused") await sleep(clock, refusedAgainAfterMs, closing);
    }
  }

  return {
    epoch: () => epoch,
    isBegun: () => begun,
    isComplete: () => complete,
    publishAll,
    renewEpoch(greatestKnown) {
      epoch = mintEpoch(clock.now(), epoch, greatestKnown);
      log.info({ realm, epoch }, "publisher: all rows are published under a new epoch");
      io.onEpoch(epoch);
      publishAll();
      io.onEpochBegun();
    },
  };
}
