import type { Clock } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { checkQueueGroup, checkSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import type { Msg, NatsConnection, Subscription } from "nats";
import { type CheckAnswer, encodeCheckAnswer } from "./check-answer.ts";
import { type CheckOffer, decodeCheckOffer } from "./check-offer.ts";
import { whyUntrusted } from "./trusted-connection.ts";

export type AcceptOptions = {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly realm: string;
  readonly zones: readonly string[];
  /** How this worker is named in what it answers. */
  readonly worker: string;
  readonly log: Pick<Log, "warn">;
  /** Works on a check now or declines at once. Never rejects. */
  work(offer: CheckOffer): Promise<CheckAnswer>;
};

/** A check that runs this long gets a sign of life, so that its agent does not look for another worker. ms */
const signAfterMs = 500;

/**
 * Takes checks of the zones from NATS, shared with every other worker of a zone.
 *
 * @returns what ends it: no more is sent to us, while what was sent still gets its answer
 */
export function acceptOffers(options: AcceptOptions): () => void {
  const { bus, realm, zones, log } = options;
  let subscribed: { connection: NatsConnection; subscriptions: Subscription[] } | undefined;
  const stop = bus.onUp((connection) => {
    const untrusted = whyUntrusted(connection);
    if (untrusted !== "") log.warn({ why: untrusted }, "no check is taken");
    // The library renews subscriptions by itself: only another connection object needs new ones.
    if (subscribed?.connection === connection) return;
    const subscriptions = zones.map((zone) =>
      connection.subscribe(checkSubject(realm, zone), {
        queue: checkQueueGroup,
        callback(error, message) {
          if (error) log.warn({ zone, why: error.message }, "checks of the zone cannot be taken");
          else void answerOffer(message, connection, options);
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

async function answerOffer(message: Msg, connection: NatsConnection, options: AcceptOptions): Promise<void> {
  // Without a way to answer nobody waits for what would come of it.
  if (!message.reply) return;
  const say = (answer: CheckAnswer): void => {
    try {
      message.respond(fitting(options.worker, answer, connection.info?.max_payload));
    } catch (error) {
      options.log.warn({ why: error instanceof Error ? error.message : "unknown" }, "an answer could not be sent");
    }
  };
  const beQuick = options.clock.after(signAfterMs, () => say({ kind: "taken" }));
  const answer = await answerTo(message, connection, options);
  beQuick();
  say(answer);
}

async function answerTo({ data }: Msg, connection: NatsConnection, { work }: AcceptOptions): Promise<CheckAnswer> {
  const untrusted = whyUntrusted(connection);
  if (untrusted !== "") return { kind: "refused", why: untrusted };
  const offer = decodeCheckOffer(data);
  return offer.ok ? work(offer.value) : { kind: "refused", why: offer.error };
}

/** The answer's bytes; what is too large for the broker goes without its details. */
function fitting(worker: string, answer: CheckAnswer, mostBytes = Number.POSITIVE_INFINITY): Uint8Array {
  const whole = encodeCheckAnswer(worker, answer);
  if (whole.length <= mostBytes || answer.kind !== "done") return whole;
  return encodeCheckAnswer(worker, { ...answer, outcome: { ...answer.outcome, longOutput: "", perfdata: [] } });
}
