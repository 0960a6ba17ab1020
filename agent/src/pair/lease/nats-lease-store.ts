import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { parseStreamIdentity } from "@realmwatch/shared/platform/nats/stream-identity";
import { leaseStream, leaseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { ErrorCode, headers, type MsgHdrs, type NatsConnection, NatsError, RequestStrategy } from "nats";
import { decodeLease, encodeLease, isCount } from "./lease-message.ts";
import type { Lease, LeaseReading, LeaseStore, LeaseWriting } from "./lease-store.ts";

type NatsLeaseStoreOptions = {
  readonly bus: Pick<NatsBus, "live" | "connectionError">;
  readonly realm: string;
  /** Maximum time of one request to NATS, ms; reading takes two. */
  readonly timeoutMs: number;
};

/** JetStream error codes. `wrongLast`: another message is the last one of the subject; the second is of newer servers. */
const codes = { noJetStream: 10039, streamNotFound: 10059, noMessage: 10037, wrongLast: [10071, 10164] } as const;

/** Lease of a realm in the stream `SVC_LEASE`. */
export class NatsLeaseStore implements LeaseStore {
  readonly #options: NatsLeaseStoreOptions;

  constructor(options: NatsLeaseStoreOptions) {
    this.#options = options;
  }

  async read(): Promise<Result<LeaseReading, string>> {
    const { bus, realm } = this.#options;
    const connection = bus.live();
    if (connection === undefined) return fail(`NATS is away: ${bus.connectionError()}`);
    try {
      // The stream is asked after the message, so that the identity is never older than the message.
      const message = await this.#askStream(connection, "MSG.GET", { last_by_subj: leaseSubject(realm) });
      const info = await this.#askStream(connection, "INFO", {});
      return readingOf(message, info, leaseSubject(realm));
    } catch (error) {
      return fail(explain(error));
    }
  }

  async write(lease: Lease, expectedSeq: number): Promise<LeaseWriting> {
    const { bus, realm, timeoutMs: timeout } = this.#options;
    const connection = bus.live();
    if (connection === undefined) return { kind: "unknown", why: `NATS is away: ${bus.connectionError()}` };
    try {
      const sent = connection.request(leaseSubject(realm), encodeLease(lease), {
        timeout,
        headers: expectations(realm, expectedSeq),
      });
      return writingOf(parseAnswer((await sent).data));
    } catch (error) {
      return { kind: "unknown", why: `the lease cannot be written: ${explain(error)}` };
    }
  }

  /**
   * Asks the leader of the stream; rejects with a NatsError when none answers in time. Where the agent's account has no
   * JetStream, its server answers that beside the leader, and mostly before it.
   */
  async #askStream(connection: NatsConnection, method: "MSG.GET" | "INFO", request: object): Promise<Answer> {
    const subject = `$JS.API.STREAM.${method}.${leaseStream.name}`;
    const options = { maxWait: this.#options.timeoutMs, maxMessages: 2, strategy: RequestStrategy.Count };
    let answer: Answer | undefined;
    for await (const { data } of await connection.requestMany(subject, JSON.stringify(request), options)) {
      answer = parseAnswer(data);
      if (errorCode(answer) !== codes.noJetStream) return answer;
    }
    if (answer === undefined) throw NatsError.errorForCode(ErrorCode.Timeout);
    return answer;
  }
}

/** Answer of JetStream; a field of another type than expected counts as absent. */
type Answer = Readonly<Record<string, unknown>>;

const objectIn = (value: unknown): Answer => (typeof value === "object" && value !== null ? (value as Answer) : {});
const errorCode = (answer: Answer): unknown => objectIn(answer["error"])["err_code"];
const textIn = (value: unknown): string => (typeof value === "string" ? value : "");
const describe = (answer: Answer): string => textIn(objectIn(answer["error"])["description"]);
const countIn = (value: unknown): number | undefined => (isCount(value) ? value : undefined);

/** Parses an answer. @throws when it is not a JSON object */
function parseAnswer(data: Uint8Array): Answer {
  const value: unknown = JSON.parse(Buffer.from(data).toString("utf8"));
  if (typeof value !== "object" || value === null) throw new Error("the answer of JetStream is not a JSON object");
  return value as Answer;
}

/**
 * Conditions of a write. A cluster checks the sequence number before the servers agree on the order of the writes, so that
 * of two at the same moment both would be stored: their common message id lets it drop the second one.
 */
function expectations(realm: string, expectedSeq: number): MsgHdrs {
  const expected = headers();
  expected.set("Nats-Msg-Id", `${realm}.${expectedSeq}`);
  expected.set("Nats-Expected-Stream", leaseStream.name);
  expected.set("Nats-Expected-Last-Subject-Sequence", String(expectedSeq));
  return expected;
}

function writingOf(answer: Answer): LeaseWriting {
  if (codes.wrongLast.some((wrong) => wrong === errorCode(answer))) return { kind: "conflict" };
  if (answer["duplicate"] === true) return { kind: "conflict" };
  if (answer["error"] !== undefined) return { kind: "unknown", why: `JetStream refuses it: ${describe(answer)}` };
  const seq = countIn(answer["seq"]);
  // A JetStream at a leaf node may have a stream with the same subject: its sequence numbers are not the centre's.
  if (answer["stream"] !== leaseStream.name || seq === undefined || seq === 0)
    return {
      kind: "unknown",
      why: `stream ${textIn(answer["stream"])} acknowledges it in place of ${leaseStream.name}`,
    };
  return { kind: "written", seq };
}

function readingOf(message: Answer, info: Answer, subject: string): Result<LeaseReading, string> {
  const stream = parseStreamIdentity(objectIn(info["config"])["description"]);
  if (info["error"] !== undefined) return fail(refusalOf(info));
  if (stream === undefined)
    return fail(
      `stream ${leaseStream.name} has no identity in its description: run \`realmwatch-aggregator nats-setup\``,
    );
  if (message["error"] !== undefined)
    return errorCode(message) === codes.noMessage ? ok({ stream, seq: 0, lease: undefined }) : fail(refusalOf(message));
  const { seq: number, data, subject: found } = objectIn(message["message"]);
  const seq = countIn(number);
  const last = countIn(objectIn(info["state"])["last_seq"]);
  if (seq === undefined || seq === 0 || found !== subject)
    return fail("JetStream's answer has no message of the realm");
  if (last === undefined || seq > last) return fail(`stream ${leaseStream.name} was changed while it was read`);
  const lease = decodeLease(Buffer.from(textIn(data), "base64"));
  return lease.ok
    ? ok({ stream, seq, lease: lease.value })
    : ok({ stream, seq, lease: undefined, problem: `message ${seq} of ${subject} is not a lease: it ${lease.error}` });
}

function refusalOf(answer: Answer): string {
  return errorCode(answer) === codes.streamNotFound
    ? `NATS has no stream ${leaseStream.name}: an aggregator or \`realmwatch-aggregator nats-setup\` creates it`
    : `JetStream refuses to read the lease: ${describe(answer)}`;
}

/** Explains an error of the connection or of an answer. */
function explain(error: unknown): string {
  const code = error instanceof NatsError ? error.code : "";
  if (code === ErrorCode.Timeout) return "NATS does not answer in time";
  if (code === ErrorCode.NoResponders)
    return `no stream ${leaseStream.name} answers: it does not exist, has no leader, or may not be reached with this login`;
  return errorText(error);
}
