import { toBinary } from "@bufbuild/protobuf";
import { HeartbeatReplySchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { RowVersion } from "@realmwatch/shared/row/row";
import { timestampToProto } from "@realmwatch/shared/wire/fields/time";
import type { SeenSequences } from "../realms/realm-liveness.ts";

/** Answer of the aggregator to a heartbeat. */
type HeartbeatReplyContent = {
  readonly realm: string;
  /** Newest version held; epoch 0 for none. */
  readonly held: RowVersion;
  readonly rows: number;
  readonly digest: bigint;
  /** Wall clock of the aggregator, Unix ms. */
  readonly atMs: number;
  readonly followedInstance: string;
  readonly republish: boolean;
  readonly greatestEpoch: number;
  /** Newest history sequence in the stream; undefined when it could not be read. */
  readonly eventSeq: number | undefined;
  /** Greatest sequences that the centre has seen of the realm; 0 when unknown. */
  readonly seen: SeenSequences;
  /** Reason why the agent's rows are refused; empty when they are accepted. */
  readonly refused: string;
};

export const encodeHeartbeatReply = (reply: HeartbeatReplyContent): Uint8Array =>
  toBinary(HeartbeatReplySchema, {
    $typeName: "svc.v1.HeartbeatReply",
    realm: reply.realm,
    epoch: BigInt(reply.held.epoch),
    revision: BigInt(reply.held.revision),
    rows: reply.rows,
    digest: reply.digest,
    at: timestampToProto(reply.atMs),
    instance: reply.followedInstance,
    republish: reply.republish,
    greatestEpoch: BigInt(reply.greatestEpoch),
    eventSeq: BigInt(reply.eventSeq ?? 0),
    eventSeqKnown: reply.eventSeq !== undefined,
    seenEventSeq: BigInt(reply.seen.history),
    seenCommandSeq: BigInt(reply.seen.command),
    refused: reply.refused,
  });
