import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { heartbeatIntervalMs, heartbeatSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";

/** What a heartbeat says beside who and when. */
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
  /** One at once, besides the regular ones. */
  sendNow(): void;
  close(): void;
};

/** Says every 5 s that the realm lives, over core NATS: a late heartbeat is worth nothing, so none is kept. */
export function startHeartbeatSender(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  readonly version: string;
  pulse(): HeartbeatContent;
}): HeartbeatSender {
  const { bus, clock, realm, instance, version } = io;
  let cancel = (): void => {};

  function beat(): void {
    const { epoch, revision, eventSeq, ...counts } = io.pulse();
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
    });
    bus.publish(heartbeatSubject(realm), data);
  }
  function again(): void {
    beat();
    cancel = clock.after(heartbeatIntervalMs, again);
  }
  again();
  const stopUp = bus.onUp(beat);
  return {
    sendNow,
    close() {
      cancel();
      stopUp();
    },
  };
}

/** Another process that speaks for the same realm. */
export type DuplicateAgent = { readonly instance: string; readonly epoch: number };

/** A rival that says nothing for so long is gone, ms. */
const duplicateGoneAfterMs = 3 * heartbeatIntervalMs;

/** Listens for a second agent with the same realm name. `onChange` is called when one appears, renews its epoch, or is gone. */
export function watchForDuplicateAgent(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  onChange(rival: DuplicateAgent | undefined): void;
}): () => void {
  const { bus, clock, realm, onChange } = io;
  let rival: DuplicateAgent | undefined;
  let cancel = (): void => {};
  const change = (next: DuplicateAgent | undefined): void => {
    rival = next;
    onChange(next);
  };
  const stop = bus.subscribe(heartbeatSubject(realm), ({ data }) => {
    const heard = decodeSender(data);
    if (!heard || heard.instance === io.instance) return;
    cancel();
    cancel = clock.after(duplicateGoneAfterMs, () => change(undefined));
    if (rival?.instance !== heard.instance || rival.epoch !== heard.epoch) change(heard);
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
