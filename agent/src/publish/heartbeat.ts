import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { heartbeatIntervalMs, heartbeatSubject } from "@realmwatch/shared/wire/nats/nats-subjects";

/** Content of a heartbeat besides sender and time. */
export type HeartbeatContent = {
  readonly epoch: number;
  readonly revision: number;
  readonly eventSeq: number;
  readonly hosts: number;
  readonly services: number;
  readonly processes: number;
  readonly configHash: string;
};

export type HeartbeatSender = {
  /** Sends a heartbeat at once, in addition to the regular ones. */
  sendNow(): void;
  close(): void;
};

/** Sends a heartbeat every 5 s over core NATS: a late heartbeat has no value, so none is persisted. */
export function startHeartbeatSender(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  readonly version: string;
  content(): HeartbeatContent;
}): HeartbeatSender {
  const { bus, clock, realm, instance, version } = io;
  let cancel = (): void => {};

  function sendNow(): void {
    const { epoch, revision, eventSeq, ...counts } = io.content();
    const data = toBinary(HeartbeatSchema, {
      $typeName: "svc.v1.Heartbeat",
      realm,
      instance,
      version,
      ...counts,
      epoch: BigInt(epoch),
      revision: BigInt(revision),
      eventSeq: BigInt(eventSeq),
      at: timestampToProto(clock.now()),
      ackedRevision: 0n,
      rows: 0,
      digest: 0n,
      published: 0n,
      error: "",
      previousInstance: "",
    });
    bus.publish(heartbeatSubject(realm), data);
  }
  function sendAndSchedule(): void {
    sendNow();
    cancel = clock.after(heartbeatIntervalMs, sendAndSchedule);
  }
  sendAndSchedule();
  const stopUp = bus.onUp(sendNow);
  return {
    sendNow,
    close() {
      cancel();
      stopUp();
    },
  };
}

/** Another agent process that publishes the same realm. */
export type DuplicateAgent = { readonly instance: string; readonly epoch: number };

/** Time without a heartbeat after which a duplicate agent counts as gone, ms. */
const duplicateGoneAfterMs = 3 * heartbeatIntervalMs;

/** Watches for a second agent of the same realm. Calls `onChange` when it appears, changes its epoch, or is gone. */
export function watchForDuplicateAgent(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  onChange(duplicate: DuplicateAgent | undefined): void;
}): () => void {
  const { bus, clock, realm, onChange } = io;
  let duplicate: DuplicateAgent | undefined;
  let cancel = (): void => {};
  const change = (next: DuplicateAgent | undefined): void => {
    duplicate = next;
    onChange(next);
  };
  const stop = bus.subscribe(heartbeatSubject(realm), ({ data }) => {
    const sender = decodeSender(data);
    if (!sender || sender.instance === io.instance) return;
    cancel();
    cancel = clock.after(duplicateGoneAfterMs, () => change(undefined));
    if (duplicate?.instance !== sender.instance || duplicate.epoch !== sender.epoch) change(sender);
  });
  return () => {
    stop();
    cancel();
  };
}

function decodeSender(data: Uint8Array): DuplicateAgent | undefined {
  try {
    const { instance, epoch } = fromBinary(HeartbeatSchema, data);
    return { instance, epoch: Number(epoch) };
  } catch {
    return undefined;
  }
}
