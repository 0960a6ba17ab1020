import { toBinary } from "@bufbuild/protobuf";
import { RealmEventSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf, refOf } from "@realmwatch/shared/model/object-key";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { stateRowToProto } from "@realmwatch/shared/row/state-row";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Heartbeat } from "../realms/realm-liveness.ts";
import type { RealmWrite } from "../realms/realm-write.ts";
import type { Rejection } from "./decode-message.ts";
import { listenToHeartbeats } from "./heartbeat-listener.ts";
import { Ingest } from "./ingest.ts";

const log = { info() {}, warn() {}, error() {} };

const now = 1_795_000_000_000;

/** Encodes a row of an object, as an agent publishes it. */
export const encodedRow = (realm: string, ref: string, revision = 1, epoch = 1) =>
  toBinary(StateRowSchema, stateRowToProto(rowFor(realm, ref, { epoch, revision }), { realm, atMs: now }));

/** Subject of the row of an object. */
export const rowSubject = (realm: string, ref: string) => subjects.stateSubject(realm, keyOf(ref));

/** Encodes a history record of a realm. */
export const encodedEvent = (realm: string, seq: number) =>
  toBinary(RealmEventSchema, realmEventToProto({ realm, seq, atMs: now + seq, type: "config" }, realm));

export type TestIngestOptions = {
  readonly consumerPrefix?: string;
  /** True while the store refuses writes. */
  readonly failing?: () => boolean;
  readonly isRebuilt?: (realm: string, seq: number) => boolean;
};

/** Opens an ingest of the realms `fra` and `ams` and listens to their heartbeats; collects writes and callbacks. */
export function openTestIngest(
  bus: NatsBus,
  { consumerPrefix, failing = () => false, isRebuilt }: TestIngestOptions = {},
) {
  const writes: RealmWrite[] = [];
  const heartbeats: Heartbeat[] = [];
  const replies: (((data: Uint8Array) => void) | undefined)[] = [];
  const rejected: string[] = [];
  const unlisted = new Set<string>();
  const stored = new Map<string, number>();
  const isListed = (realm: string): boolean => realm === "fra" || realm === "ams";
  const onRejected = ({ realm, reason }: Rejection) => void rejected.push(`${realm} ${reason}`);
  const onUnlisted = (realm: string) => void unlisted.add(realm);
  const stopHeartbeats = listenToHeartbeats({
    ...{ bus, clock: systemClock, isListed },
    events: {
      onRejected,
      onUnlisted,
      onHeartbeat(heartbeat, reply) {
        heartbeats.push(heartbeat);
        replies.push(reply);
      },
    },
  });
  const opened = new Ingest({
    bus,
    clock: systemClock,
    log,
    isListed,
    async write(batch) {
      if (failing()) throw new Error("the store is away");
      writes.push(batch);
    },
    isRebuilt,
    consumerPrefix,
    historyRetentionMs: 2 ** 42,
    events: {
      onRejected,
      onUnlisted,
      onWriteFailed() {},
      onForgotten() {},
      onWritten() {},
      onStored: (realm, atMs) => stored.set(realm, atMs),
    },
  });
  const ingest = {
    ...opened,
    close() {
      stopHeartbeats();
      return opened.close();
    },
  };
  const refs = () =>
    writes.flatMap(({ realm, changes }) =>
      changes.map((change) => `${realm} ${refOf(change.kind === "put" ? change.row.about.key : change.key)}`),
    );
  const seqs = () => writes.flatMap(({ records }) => records.map(({ seq }) => seq));
  return { ingest, writes, heartbeats, replies, rejected, unlisted, stored, refs, seqs };
}
