import type { Clock } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import type { NatsConnection } from "nats";
import { decodeCheckAnswer } from "./check-answer.ts";
import { type InboxReply, ReplyInbox } from "./reply-inbox.ts";
import { whyUntrusted } from "./trusted-connection.ts";

/** What became of one offer. */
export type OfferResult =
  | { readonly kind: "done"; readonly worker: string; readonly outcome: Outcome; readonly executionMs: number }
  /** Nobody runs it: it may be offered again. */
  | { readonly kind: "not_taken"; readonly why: string }
  /** `worker` took it and did not say what came of it. */
  | { readonly kind: "no_answer"; readonly worker: string; readonly afterMs: number }
  /** To offer it again would be no use. */
  | { readonly kind: "failed"; readonly why: string };

export type OfferRequest = {
  readonly bus: NatsBus | undefined;
  readonly clock: Clock;
  readonly subject: string;
  readonly data: Uint8Array;
  /** Of the check, ms. */
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
};

/** What a worker's answer may take beyond the check's own timeout, ms. */
const marginMs = 1_000;
/** A worker that gave no sign for so long is taken for dead, though the broker may not know yet. ms */
const silenceMs = 2_000;

const inboxes = new WeakMap<NatsConnection, ReplyInbox>();

/** Offers a check to whichever worker the broker chooses, and waits for what comes of it. Never rejects. */
export async function offerOnce(offer: OfferRequest): Promise<OfferResult> {
  const { bus, data } = offer;
  const connection = bus?.live();
  if (bus === undefined || connection === undefined)
    return { kind: "not_taken", why: `NATS is away (${bus?.connectionError() ?? "not opened"})` };
  const untrusted = whyUntrusted(connection);
  if (untrusted !== "") return { kind: "failed", why: untrusted };
  const most = connection.info?.max_payload ?? data.length;
  if (data.length > most)
    return { kind: "failed", why: `the check with its macros is ${data.length} bytes, NATS takes ${most} at most` };
  const inbox = inboxes.get(connection) ?? new ReplyInbox(connection);
  inboxes.set(connection, inbox);
  try {
    return await waitFor(offer, bus, inbox);
  } catch {
    return lost;
  }
}

/** An answer that is sent while we are away never comes: the check is better offered once more. */
const lost: OfferResult = { kind: "not_taken", why: "the connection to NATS was lost" };

/** Asks and listens until there is an end to it. Rejects where the question could not be sent. */
async function waitFor(offer: OfferRequest, bus: NatsBus, inbox: ReplyInbox): Promise<OfferResult> {
  const { clock, subject, data, timeoutMs, signal } = offer;
  const { promise, resolve } = Promise.withResolvers<OfferResult>();
  const afterMs = timeoutMs + marginMs;
  let takenBy = "";
  const cancelSilence = clock.after(Math.min(silenceMs, afterMs), () => resolve(silent));
  const forget = inbox.request(subject, data, (heard) => {
    const said = read(heard);
    if (said.kind !== "taken") return resolve(said);
    takenBy = said.worker;
    cancelSilence();
  });
  const cancelDeadline = clock.after(afterMs, () => resolve({ kind: "no_answer", worker: takenBy, afterMs }));
  const lose = (): void => resolve(lost);
  const stopHearing = bus.onDown(lose);
  signal.addEventListener("abort", lose, { once: true });
  if (signal.aborted) lose();
  try {
    return await promise;
  } finally {
    cancelSilence();
    cancelDeadline();
    forget();
    stopHearing();
    signal.removeEventListener("abort", lose);
  }
}

const silent: OfferResult = { kind: "not_taken", why: "one that is connected gives no sign" };

function read(heard: InboxReply): OfferResult | { readonly kind: "taken"; readonly worker: string } {
  if (heard.kind === "nobody") return { kind: "not_taken", why: "none is connected" };
  const said = decodeCheckAnswer(heard.data);
  if (!said.ok) return { kind: "failed", why: said.error };
  const { worker, answer } = said.value;
  switch (answer.kind) {
    case "taken":
    case "done":
      return { ...answer, worker };
    case "declined":
      return { kind: "not_taken", why: "all that are connected are busy" };
    case "refused":
      return { kind: "failed", why: `worker ${worker} refused the check: ${answer.why}` };
    default:
      return never(answer);
  }
}
