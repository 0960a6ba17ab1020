import type { Clock } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { Msg, NatsConnection } from "nats";
import { decodeCheckAnswer } from "./check-answer.ts";
import { type TrustOptions, whyUntrusted } from "./trusted-connection.ts";

/** Result of one offer. */
export type OfferResult =
  | { readonly kind: "done"; readonly worker: string; readonly outcome: Outcome; readonly executionMs: number }
  /** No worker runs it: it may be offered again. */
  | { readonly kind: "not_taken"; readonly why: string }
  /** `worker` took it and returned no result. */
  | { readonly kind: "no_answer"; readonly worker: string; readonly afterMs: number }
  /** A repeated offer is useless. */
  | { readonly kind: "failed"; readonly why: string };

export type OfferRequest = TrustOptions & {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly subject: string;
  readonly data: Uint8Array;
  /** Epoch of a pair's member; undefined for an agent without a pair. */
  readonly epoch?: number | undefined;
  /** Timeout of the check, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** Time that a worker's answer may take in addition to the check's timeout, ms. */
const marginMs = 1_000;
/** Time without an answer after which the worker counts as dead, even if the broker has not noticed yet, ms. */
const unresponsiveMs = 2_000;

/** Status of the broker's notice that the subject has no subscriber. */
const noResponders = 503;

const inboxes = new WeakMap<NatsConnection, ReplyInbox>();

/** Offers a check to one worker, chosen by the broker, and waits for the result. Never rejects. */
export async function offerOnce(offer: OfferRequest): Promise<OfferResult> {
  const { bus, data } = offer;
  const connection = bus.live();
  if (connection === undefined) return { kind: "not_taken", why: `NATS is not connected (${bus.connectionError()})` };
  const untrusted = whyUntrusted(connection, offer);
  if (untrusted !== "") return { kind: "failed", why: untrusted };
  const maxBytes = connection.info?.max_payload ?? data.length;
  if (data.length > maxBytes)
    return { kind: "failed", why: `the check with its macros has ${data.length} bytes, NATS accepts ${maxBytes}` };
  const inbox = inboxes.getOrInsertComputed(connection, () => new ReplyInbox(connection, bus.newInbox()));
  try {
    return await waitFor(offer, inbox);
  } catch {
    return lost;
  }
}

/** Result after a disconnection: an answer sent meanwhile is lost, so the check is offered again. */
const lost: OfferResult = { kind: "not_taken", why: "the connection to NATS was lost" };

/** Sends the offer and waits for its result. Rejects when it could not be sent. */
async function waitFor(offer: OfferRequest, inbox: ReplyInbox): Promise<OfferResult> {
  const { bus, clock, subject, data, timeoutMs, signal } = offer;
  const { promise, resolve } = Promise.withResolvers<OfferResult>();
  const afterMs = timeoutMs + marginMs;
  let takenBy = "";
  const cancelUnresponsive = clock.after(Math.min(unresponsiveMs, afterMs), () => resolve(unresponsive));
  const forget = inbox.request(subject, data, (reply) => {
    const result = decodeReply(reply, offer.epoch);
    if (result.kind === "of_other_epoch") return;
    if (result.kind !== "taken") return resolve(result);
    takenBy = result.worker;
    cancelUnresponsive();
  });
  const cancelDeadline = clock.after(afterMs, () => resolve({ kind: "no_answer", worker: takenBy, afterMs }));
  const onLost = (): void => resolve(lost);
  const stopListening = bus.onDown(onLost);
  signal.addEventListener("abort", onLost, { once: true });
  if (signal.aborted) onLost();
  try {
    return await promise;
  } finally {
    cancelUnresponsive();
    cancelDeadline();
    forget();
    stopListening();
    signal.removeEventListener("abort", onLost);
  }
}

const unresponsive: OfferResult = { kind: "not_taken", why: "a connected worker does not respond" };

type Reply =
  | OfferResult
  | { readonly kind: "taken"; readonly worker: string }
  /** [PA47] Late answer to an offer that this agent made as the active member of an earlier term. */
  | { readonly kind: "of_other_epoch" };

function decodeReply({ headers, data }: Msg, epoch: number | undefined): Reply {
  if (headers?.code === noResponders && data.length === 0) return { kind: "not_taken", why: "none is connected" };
  const decoded = decodeCheckAnswer(data);
  if (!decoded.ok) return { kind: "failed", why: decoded.error };
  const { worker, answer } = decoded.value;
  // A worker that cannot read the offer repeats no epoch.
  if ((decoded.value.epoch ?? epoch) !== epoch) return { kind: "of_other_epoch" };
  switch (answer.kind) {
    case "taken":
    case "done":
      return { ...answer, worker };
    case "declined":
      return { kind: "not_taken", why: "all connected workers are busy" };
    case "refused":
      return { kind: "failed", why: `worker ${worker} refused the check: ${answer.why}` };
    default:
      return never(answer);
  }
}

/** Inbox for the replies to all requests over one connection. */
class ReplyInbox {
  readonly #connection: NatsConnection;
  readonly #prefix: string;
  readonly #requests = new Map<string, (reply: Msg) => void>();
  #count = 0;

  /** @param prefix unique subject that the connection may subscribe to, from `NatsBus.newInbox` */
  constructor(connection: NatsConnection, prefix: string) {
    this.#connection = connection;
    this.#prefix = prefix;
    connection.subscribe(`${this.#prefix}.*`, {
      callback: (error, message) => {
        if (error === null) this.#requests.get(message.subject)?.(message);
      },
    });
  }

  /**
   * Publishes `data` and calls `onReply` for each reply. Throws when the connection is closed.
   *
   * @returns a function that stops listening for replies
   */
  request(subject: string, data: Uint8Array, onReply: (reply: Msg) => void): () => void {
    this.#count += 1;
    const inbox = `${this.#prefix}.${this.#count}`;
    this.#requests.set(inbox, onReply);
    const forget = (): void => void this.#requests.delete(inbox);
    try {
      this.#connection.publish(subject, data, { reply: inbox });
    } catch (error) {
      forget();
      throw error;
    }
    return forget;
  }
}
