import { fromBinary } from "@bufbuild/protobuf";
import { RealmEpochSchema, RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { realmEventFromProto } from "@realmwatch/shared/wire/history";
import { epochSubject, eventStream, eventSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { type NatsConnection, NatsError } from "nats";

/** Newest records of a realm in the streams; an agent compares them with its own. */
export type BrokerRecords = {
  /** Epoch of the realm's marker; 0 when there is none. */
  readonly epoch: number;
  /** Sequence of the newest history record; 0 when there is none. */
  readonly eventSeq: number;
  /** Newest accepted command of the realm as of that record; 0 when unknown. */
  readonly commandSeq: number;
};

/** Reads the newest records of a realm from the streams. Rejects when NATS or JetStream does not answer. */
export async function readBrokerRecords(connection: NatsConnection, realm: string): Promise<BrokerRecords> {
  const [marker, event] = await Promise.all([
    lastMessage(connection, stateStream.name, epochSubject(realm)),
    lastMessage(connection, eventStream.name, eventSubject(realm)),
  ]);
  return { epoch: decodeEpoch(marker), ...decodeEvent(event) };
}

async function lastMessage(
  connection: NatsConnection,
  stream: string,
  subject: string,
): Promise<Uint8Array | undefined> {
  try {
    const manager = await connection.jetstreamManager();
    return (await manager.streams.getMessage(stream, { last_by_subj: subject })).data;
  } catch (error) {
    if (error instanceof NatsError && error.api_error?.code === 404) return undefined;
    throw error;
  }
}

function decodeEpoch(data: Uint8Array | undefined): number {
  try {
    return data === undefined ? 0 : Number(fromBinary(RealmEpochSchema, data).epoch);
  } catch {
    return 0;
  }
}

function decodeEvent(data: Uint8Array | undefined): Pick<BrokerRecords, "eventSeq" | "commandSeq"> {
  try {
    const message = data && fromBinary(RealmEventSchema, data);
    const event = message && realmEventFromProto(message);
    if (event?.ok) return { eventSeq: event.value.seq, commandSeq: Number(message?.commandSeq ?? 0) };
  } catch {
    // The stream holds a message of another form.
  }
  return { eventSeq: 0, commandSeq: 0 };
}
