import { fromBinary } from "@bufbuild/protobuf";
import { HeartbeatReplySchema } from "@realmwatch/proto/svc/v1/state_pb";

/** Newest history record and accepted command of a realm; 0 for none. */
export type SequenceNumbers = { readonly history: number; readonly command: number };

/** Answer of an aggregator to a heartbeat. */
export type HeartbeatAnswer = {
  readonly realm: string;
  /** Instance that the aggregator follows; empty when it follows none. */
  readonly instance: string;
  /** Greatest epoch that the aggregator holds; 0 when it holds none. */
  readonly greatestEpoch: number;
  /** True when the stream lacks rows of the realm. */
  readonly republish: boolean;
  /** Sequence number of the newest history record in the stream, 0 for none; undefined when it could not be read. */
  readonly eventSeq: number | undefined;
  /** Greatest sequence numbers that the aggregator has seen of the realm; 0 when unknown. */
  readonly seen: SequenceNumbers;
  /** Reason why the aggregator does not accept this agent's rows; empty when it does. */
  readonly refused: string;
};

/** Decodes an answer; undefined when it is malformed. Numbers above 2^53 are kept inexactly. */
export function decodeHeartbeatAnswer(data: Uint8Array): HeartbeatAnswer | undefined {
  try {
    const reply = fromBinary(HeartbeatReplySchema, data);
    return {
      realm: reply.realm,
      instance: reply.instance,
      greatestEpoch: Number(reply.greatestEpoch),
      republish: reply.republish,
      eventSeq: reply.eventSeqKnown ? Number(reply.eventSeq) : undefined,
      seen: {
        history: Math.max(Number(reply.seenEventSeq), Number(reply.eventSeq)),
        command: Number(reply.seenCommandSeq),
      },
      refused: reply.refused,
    };
  } catch {
    return undefined;
  }
}
