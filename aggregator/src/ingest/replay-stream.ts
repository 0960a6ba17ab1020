import {
  catalogSubjects,
  eventStream,
  eventSubject,
  stateStream,
  stateSubjectPrefix,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import type { JsMsg, NatsConnection } from "nats";
import { readStoredMessages } from "./stream-consumer.ts";
import { type MessageWriting, writeMessages } from "./write-messages.ts";

export type StreamReplay = {
  readonly stream: "state" | "events";
  /** Start, Unix ms; 0 for everything. */
  readonly sinceMs: number;
  /** Realms to read; undefined for all of the stream. */
  readonly realms: readonly string[] | undefined;
  readonly options: MessageWriting;
  /** Called with the stream's last sequence: all messages up to it are written. Default: not called. */
  readonly onBegin?: ((lastSeq: number) => void) | undefined;
};

/** Writes messages of a stream again. Resolves when done; rejects when NATS or the store is away. */
export async function replayStream(
  connection: NatsConnection,
  { stream, sinceMs, realms, options, onBegin }: StreamReplay,
): Promise<void> {
  const { name } = stream === "state" ? stateStream : eventStream;
  const write = (messages: readonly JsMsg[]): Promise<void> => writeMessages(messages, options);
  for (const subject of subjectsOf(stream, realms))
    await readStoredMessages(connection, { stream: name, sinceMs, subject }, write, onBegin);
}

/** Number of realms above which the whole stream is read at once instead of each realm by itself. */
const maxRealmReads = 8;

/** Subjects to read for some realms; undefined stands for the whole stream. */
function subjectsOf(
  stream: "state" | "events",
  realms: readonly string[] | undefined,
): readonly (string | undefined)[] {
  if (realms === undefined || realms.length > maxRealmReads) return [undefined];
  return realms.flatMap((realm) =>
    stream === "events" ? [eventSubject(realm)] : [`${stateSubjectPrefix(realm)}.>`, catalogSubjects(realm)],
  );
}
