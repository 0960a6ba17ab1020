import { toBinary } from "@bufbuild/protobuf";
import { HeartbeatSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { type Clock, repeat } from "@realmwatch/shared/model/clock";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import { heartbeatIntervalMs, heartbeatSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { pairToProto } from "@realmwatch/shared/wire/pair-status";
import { type Unpublished, unpublishedToProto } from "@realmwatch/shared/wire/unpublished";
import type { Msg } from "nats";
import type { CatalogPartSet } from "../catalog-publisher.ts";
import type { AcknowledgedRowSet } from "../rows/acknowledged-rows.ts";
import { decodeHeartbeatAnswer, type HeartbeatAnswer, type SequenceNumbers } from "./heartbeat-answer.ts";

/** Content of a heartbeat besides sender and time. */
export type HeartbeatContent = {
  readonly epoch: number;
  readonly revision: number;
  readonly newest: SequenceNumbers;
  /** Records that are lost because the agent started on an older copy of its data; empty for none. */
  readonly restoredCopy: string;
  /** Sequence number of the oldest history record; 0 when unknown. */
  readonly firstEventSeq: number;
  readonly hosts: number;
  readonly services: number;
  readonly processes: number;
  readonly configHash: string;
  /** Reason why rows are not stored; empty when they are. */
  readonly error: string;
  /** Rows, catalog parts and history records that NATS refuses. */
  readonly unpublished: readonly Unpublished[];
  /** Pair of agents that serves the realm; undefined without one. */
  readonly pair: PairStatus | undefined;
};

/** The agent's process. */
export type HeartbeatSource = {
  readonly realm: string;
  /** Unique id of this process among all that ever publish the realm. */
  readonly instance: string;
  /** Instance before the last start; empty when there was none. */
  readonly previousInstance: string;
  readonly version: string;
};

/** Interval of heartbeats while the digest changes or this agent waits to be followed, ms: a lost row shows within 10 s. */
const changedIntervalMs = 2_000;
const tickMs = 1_000;
/** Status by which NATS reports that a request has no subscriber. */
const noResponders = 503;

type HeartbeatSenderOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly source: HeartbeatSource;
  content(): HeartbeatContent;
  /** Rows that were sent. */
  acknowledged(): AcknowledgedRowSet;
  /** Parts of the catalog; undefined before the first one was sent. */
  catalog(): CatalogPartSet | undefined;
  /** Age of the oldest change that the stream should have stored and has not acknowledged, ms; 0 for none. */
  unstoredMs(): number;
  /** True while the aggregator still follows this agent's previous instance. */
  isWaiting(): boolean;
  onAnswer(answer: HeartbeatAnswer): void;
  /** Called when no aggregator receives heartbeats. */
  onUnanswered(): void;
};

/**
 * Sends a heartbeat every 5 s over core NATS, and every 2 s while the digest changes, changes are not stored or
 * `isWaiting`: a late heartbeat has no value, so none is persisted. Each aggregator answers on an inbox of this process.
 */
export function openHeartbeatSender(io: HeartbeatSenderOptions) {
  const { bus, clock, source } = io;
  const reply = bus.newInbox();
  let sentAtMs = Number.NEGATIVE_INFINITY;
  let sentDigest = 0n;

  const digestNow = (): bigint => io.acknowledged().claimed.digest ^ (io.catalog()?.digest ?? 0n);
  function send(leaving: boolean): void {
    const content = {
      ...io.content(),
      acknowledged: io.acknowledged(),
      catalog: io.catalog(),
      unstoredMs: Math.floor(io.unstoredMs()),
      atMs: clock.now(),
      uptimeMs: clock.monotonic(),
      leaving,
    };
    sentAtMs = content.uptimeMs;
    sentDigest = digestNow();
    bus.live()?.publish(heartbeatSubject(source.realm), encodeHeartbeat(source, content), { reply });
  }
  const sendNow = (): void => send(false);
  function tick(): void {
    const isUrgent = digestNow() !== sentDigest || io.unstoredMs() >= tickMs || io.isWaiting();
    const intervalMs = isUrgent ? changedIntervalMs : heartbeatIntervalMs;
    if (clock.monotonic() - sentAtMs >= intervalMs) sendNow();
  }
  function take({ data, headers }: Msg): void {
    if (headers?.code === noResponders) return io.onUnanswered();
    const answer = decodeHeartbeatAnswer(data);
    if (answer?.realm === source.realm) io.onAnswer(answer);
  }
  const stopAnswers = bus.subscribe(reply, take);
  let stopUp = (): void => {};
  let cancel = (): void => {};
  return {
    /** Begins to send, each time that NATS is connected. */
    start() {
      stopUp = bus.onUp(sendNow);
      cancel = repeat(clock, tickMs, tick);
    },
    /** Sends a heartbeat at once, in addition to the regular ones. */
    sendNow,
    /** Sends a last heartbeat, which says so. */
    close() {
      cancel();
      stopUp();
      stopAnswers();
      send(true);
    },
  };
}

type DatedContent = HeartbeatContent & {
  readonly acknowledged: AcknowledgedRowSet;
  readonly catalog: CatalogPartSet | undefined;
  readonly unstoredMs: number;
  readonly atMs: number;
  readonly uptimeMs: number;
  readonly leaving: boolean;
};

function encodeHeartbeat(source: HeartbeatSource, content: DatedContent): Uint8Array {
  const { epoch, revision, newest, firstEventSeq, acknowledged, atMs, uptimeMs, unpublished, catalog, pair, ...rest } =
    content;
  const { claimed, stored } = acknowledged;
  return toBinary(HeartbeatSchema, {
    $typeName: "svc.v1.Heartbeat",
    ...source,
    ...rest,
    epoch: BigInt(epoch),
    revision: BigInt(revision),
    eventSeq: BigInt(newest.history),
    commandSeq: BigInt(newest.command),
    firstEventSeq: BigInt(firstEventSeq),
    at: timestampToProto(atMs),
    uptimeMs: BigInt(Math.floor(uptimeMs)),
    ackedRevision: BigInt(acknowledged.revision),
    ...claimed,
    ...(catalog && { catalog: { $typeName: "svc.v1.CatalogClaim", ...catalog, revision: BigInt(catalog.revision) } }),
    storedRows: stored.rows,
    storedDigest: stored.digest,
    unpublished: unpublished.map(unpublishedToProto),
    ...(pair && { pair: pairToProto(pair) }),
    published: BigInt(acknowledged.published),
  });
}
