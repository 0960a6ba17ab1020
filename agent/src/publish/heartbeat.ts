import { fromBinary, toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { heartbeatEveryMs, heartbeatSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { timestampOf } from "@realmwatch/shared/wire/fields/time";

/** What a heartbeat says beside who and when. */
export type Pulse = {
  readonly epoch: number;
  readonly revision: number;
  readonly eventSeq: number;
  readonly hosts: number;
  readonly services: number;
  readonly processes: number;
  readonly configHash: string;
};

export type Heartbeats = {
  /** One at once, besides the regular ones. */
  beat(): void;
  close(): void;
};

/** Says every 5 s that the realm lives, over core NATS: a late heartbeat is worth nothing, so none is kept. */
export function startHeartbeats(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  readonly version: string;
  pulse(): Pulse;
}): Heartbeats {
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
      at: timestampOf(clock.now()),
    });
    bus.publish(heartbeatSubject(realm), data);
  }
  function again(): void {
    beat();
    cancel = clock.after(heartbeatEveryMs, again);
  }
  again();
  const stopUp = bus.onUp(beat);
  return {
    beat,
    close() {
      cancel();
      stopUp();
    },
  };
}

/** Another process that speaks for the same realm. */
export type Rival = { readonly instance: string; readonly epoch: number };

/** A rival that says nothing for so long is gone, ms. */
const rivalGoneAfterMs = 3 * heartbeatEveryMs;

/** Listens for a second agent with the same realm name. `onChange` is called when one appears, renews its epoch, or is gone. */
export function watchForRival(io: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly instance: string;
  onChange(rival: Rival | undefined): void;
}): () => void {
  const { bus, clock, realm, onChange } = io;
  let rival: Rival | undefined;
  let cancel = (): void => {};
  const change = (next: Rival | undefined): void => {
    rival = next;
    onChange(next);
  };
  const stop = bus.subscribe(heartbeatSubject(realm), ({ data }) => {
    const heard = readRival(data);
    if (!heard || heard.instance === io.instance) return;
    cancel();
    cancel = clock.after(rivalGoneAfterMs, () => change(undefined));
    if (rival?.instance !== heard.instance || rival.epoch !== heard.epoch) change(heard);
  });
  return () => {
    stop();
    cancel();
  };
}

function readRival(data: Uint8Array): Rival | undefined {
  try {
    const { instance, epoch } = fromBinary(HeartbeatSchema, data);
    return { instance, epoch: Number(epoch) };
  } catch {
    return undefined;
  }
}
