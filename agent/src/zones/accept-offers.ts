import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import {
  checkQueueGroup,
  checkSubject,
  realmInboxPrefix,
  zoneChecksSubject,
} from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Msg, NatsConnection, Subscription } from "nats";
import { type CheckAnswer, encodeCheckAnswer } from "./check-answer.ts";
import { type CheckOffer, decodeCheckOffer } from "./check-offer.ts";
import { OfferEpochs } from "./offer-epochs.ts";
import { type TrustOptions, whyUntrusted } from "./trusted-connection.ts";

type AcceptOptions = TrustOptions & {
  readonly bus: NatsBus;
  readonly clock: Clock;
  /** Realm whose checks are accepted; undefined for those of all realms. */
  readonly realm: string | undefined;
  readonly zones: readonly string[];
  /** Name of this worker in its answers. */
  readonly worker: string;
  readonly log: Pick<Log, "warn">;
  /** Runs a check now, or declines it at once. Never rejects. */
  work(offer: CheckOffer): Promise<CheckAnswer>;
};

/** Running time after which `taken` is sent, so that the agent does not offer the check to another worker, ms. */
const takenAfterMs = 500;

/**
 * Accepts checks of the zones from NATS. Each check is delivered to one worker of its zone.
 *
 * @returns a function that stops new deliveries; delivered checks are still answered
 */
export function acceptOffers(options: AcceptOptions): () => void {
  const { bus, realm, zones, log } = options;
  const epochs = new OfferEpochs(options.clock);
  let subscribed: { connection: NatsConnection; subscriptions: Subscription[] } | undefined;
  const stop = bus.onUp((connection) => {
    const untrusted = whyUntrusted(connection, options);
    if (untrusted !== "") log.warn({ why: untrusted }, "checks are refused");
    // The library restores subscriptions after a reconnect: only a new connection object needs new ones.
    if (subscribed?.connection === connection) return;
    const subscriptions = zones.map((zone) =>
      connection.subscribe(realm === undefined ? zoneChecksSubject(zone) : checkSubject(realm, zone), {
        queue: checkQueueGroup,
        callback(error, message) {
          if (error) log.warn({ zone, why: error.message }, "checks of the zone cannot be received");
          else void answerOffer(message, connection, { ...options, epochs });
        },
      }),
    );
    subscribed = { connection, subscriptions };
  });
  return () => {
    stop();
    if (subscribed === undefined || subscribed.connection.isClosed()) return;
    for (const subscription of subscribed.subscriptions) subscription.drain().catch(() => {});
  };
}

type AnswerOptions = AcceptOptions & { readonly epochs: OfferEpochs };

async function answerOffer(message: Msg, connection: NatsConnection, options: AnswerOptions): Promise<void> {
  if (!isInboxOfSender(message)) return;
  const offer = decodeCheckOffer(message.data);
  const epoch = offer.ok ? offer.value.epoch : undefined;
  const send = (answer: CheckAnswer): void => {
    try {
      message.respond(encodeWithinLimit({ worker: options.worker, epoch }, answer, connection.info?.max_payload));
    } catch (error) {
      options.log.warn(
        { why: error instanceof Error ? error.message : "unknown" },
        "cannot send the result of a check",
      );
    }
  };
  const cancelTaken = options.clock.after(takenAfterMs, () => send({ kind: "taken" }));
  const answer = await answerTo({ realm: realmOf(message), offer }, connection, options);
  cancelTaken();
  send(answer);
}

/**
 * True when the reply subject is an inbox of the agent that sent the check. The server lets a worker answer on any
 * subject that a request names, also on one where the answer would be taken for a row; without a reply subject the
 * result could not be delivered.
 */
function isInboxOfSender({ subject, reply }: Msg): boolean {
  const realm = realmOf({ subject });
  return reply !== undefined && (reply.startsWith(`${realmInboxPrefix(realm)}.`) || reply.startsWith("_INBOX."));
}

/** Realm of the agent that sent a check. */
const realmOf = ({ subject }: Pick<Msg, "subject">): string => subject.split(".")[3] ?? "";

type ReceivedOffer = { readonly realm: string; readonly offer: ReturnType<typeof decodeCheckOffer> };

async function answerTo(
  { realm, offer }: ReceivedOffer,
  connection: NatsConnection,
  options: AnswerOptions,
): Promise<CheckAnswer> {
  const untrusted = whyUntrusted(connection, options);
  if (untrusted !== "") return { kind: "refused", why: untrusted };
  if (!offer.ok) return { kind: "refused", why: offer.error };
  const outdated = options.epochs.whyRefused(realm, offer.value.epoch);
  return outdated === "" ? options.work(offer.value) : { kind: "refused", why: outdated };
}

/** Encodes an answer; one that is too large for the broker is sent without long output and performance data. */
function encodeWithinLimit(
  { worker, epoch }: { readonly worker: string; readonly epoch: number | undefined },
  answer: CheckAnswer,
  maxBytes = Number.POSITIVE_INFINITY,
): Uint8Array {
  const whole = encodeCheckAnswer(worker, answer, epoch);
  if (whole.length <= maxBytes || answer.kind !== "done") return whole;
  return encodeCheckAnswer(worker, { ...answer, outcome: { ...answer.outcome, longOutput: "", perfdata: [] } }, epoch);
}
