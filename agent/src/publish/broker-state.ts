import { fromBinary } from "@bufbuild/protobuf";
import { RealmEpochSchema, RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { ensureStreams } from "@realmwatch/shared/platform/nats/nats-streams";
import { epochSubject, eventStream, eventSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type JetStreamManager, type NatsConnection, NatsError } from "nats";

/** State of a realm in the JetStream streams. */
export type BrokerState = {
  /** Last epoch marker; undefined when the stream has none. */
  readonly epoch: { readonly epoch: number; readonly complete: boolean } | undefined;
  /** Last sequence of the state stream; a decrease means that the stream was lost or restored. */
  readonly lastStreamSeq: number;
  /** Sequence number of the realm's newest history record in the stream; 0 when there is none. */
  readonly lastEventSeq: number;
  /** Configuration problems of the streams, one sentence each. */
  readonly problems: readonly string[];
};

/** Creates missing streams and reads the realm's state. Throws a NatsError when that is impossible or not permitted. */
export async function readBrokerState(connection: NatsConnection, realm: string): Promise<BrokerState> {
  const jsm = await connection.jetstreamManager({ checkAPI: false, timeout: 5_000 });
  const problems = await ensureStreams(jsm, [stateStream, eventStream]);
  const epoch = await lastMessage(jsm, stateStream.name, epochSubject(realm));
  const event = await lastMessage(jsm, eventStream.name, eventSubject(realm));
  const { state } = await jsm.streams.info(stateStream.name);
  return {
    problems,
    epoch: epoch && readEpoch(epoch),
    lastEventSeq: event ? readEventSeq(event) : 0,
    lastStreamSeq: state.last_seq,
  };
}

const noMessage = 10037;

async function lastMessage(jsm: JetStreamManager, stream: string, subject: string): Promise<Uint8Array | undefined> {
  try {
    return (await jsm.streams.getMessage(stream, { last_by_subj: subject })).data;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.err_code === noMessage) return undefined;
    throw error;
  }
}

function readEpoch(data: Uint8Array): BrokerState["epoch"] {
  try {
    const { epoch, complete } = fromBinary(RealmEpochSchema, data);
    return Number.isSafeInteger(Number(epoch)) ? { epoch: Number(epoch), complete } : undefined;
  } catch {
    return undefined;
  }
}

function readEventSeq(data: Uint8Array): number {
  try {
    const seq = Number(fromBinary(RealmEventSchema, data).seq);
    return Number.isSafeInteger(seq) ? seq : 0;
  } catch {
    return 0;
  }
}
