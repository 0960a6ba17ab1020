import type { Clock } from "@realmwatch/shared/model/clock";
import { isEpochTooFarAhead } from "@realmwatch/shared/wire/nats/epoch-limit";

/** Time after which an epoch counts no more of which nothing was heard, ms: its agent may have got an earlier clock. */
const rememberMs = 600_000;

/** Greatest epoch of each realm of which a worker has heard. */
export class OfferEpochs {
  readonly #clock: Pick<Clock, "now" | "monotonic">;
  readonly #greatest = new Map<string, { readonly epoch: number; readonly heardMs: number }>();

  constructor(clock: Pick<Clock, "now" | "monotonic">) {
    this.#clock = clock;
  }

  /**
   * [PA47] Reason to refuse an offer: its agent has lost the realm to another one. Empty for an offer of the greatest
   * epoch, and for one without an epoch, whose agent runs without a pair.
   */
  whyRefused(realm: string, epoch: number | undefined): string {
    if (epoch === undefined || isEpochTooFarAhead(epoch, this.#clock.now())) return "";
    const nowMs = this.#clock.monotonic();
    const known = this.#greatest.get(realm);
    if (known !== undefined && known.epoch > epoch && nowMs - known.heardMs < rememberMs)
      return `it is of epoch ${epoch}, and epoch ${known.epoch} of the realm has begun at another agent`;
    this.#greatest.set(realm, { epoch, heardMs: nowMs });
    return "";
  }
}
