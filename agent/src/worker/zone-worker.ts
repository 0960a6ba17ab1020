import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { CheckEnvironment } from "../checks/check-type.ts";
import type { CheckRun } from "../checks/run-check.ts";
import type { CheckAnswer } from "../zones/check-answer.ts";
import type { CheckOffer } from "../zones/check-offer.ts";
import { type CheckSlotLimits, CheckSlots } from "./check-slots.ts";
import { offeredHost, offeredPlan } from "./offered-plan.ts";

export type ZoneWorkerOptions = {
  readonly clock: Clock;
  readonly places: CheckSlotLimits;
  /** May reject only by a bug. */
  run(plan: HostPlan | ServicePlan, around: Omit<CheckEnvironment, "signal">): Promise<CheckRun>;
  ended(type: string, run: CheckRun): void;
  declined(): void;
};

/** How often a stop looks whether the last check has ended, ms. */
const stopPollMs = 20;

/**
 * [ZO2] Runs checks for agents and holds nothing beyond them. What it has no place for it declines at once, so that
 * another worker gets it. Once it stops it declines everything.
 */
export class ZoneWorker {
  readonly #options: ZoneWorkerOptions;
  readonly #places: CheckSlots;
  #stopping = false;
  #cutOff = false;

  constructor(options: ZoneWorkerOptions) {
    this.#options = options;
    this.#places = new CheckSlots(options.places);
  }

  get running(): number {
    return this.#places.taken;
  }

  /** Never rejects. */
  async work(offer: CheckOffer): Promise<CheckAnswer> {
    const leave = this.#stopping ? undefined : this.#places.take(offer.check.type);
    if (leave === undefined) {
      this.#options.declined();
      return { kind: "declined" };
    }
    try {
      return await this.#run(offer);
    } catch (error) {
      return { kind: "refused", why: `the check failed: ${error instanceof Error ? error.name : "error"}` };
    } finally {
      leave();
    }
  }

  async #run(offer: CheckOffer): Promise<CheckAnswer> {
    const { commands, resources, macros } = offer;
    const run = await this.#options.run(offeredPlan(offer), {
      host: offeredHost(offer),
      realm: { commands, resources },
      macro: (name) => (Object.hasOwn(macros, name) ? macros[name] : undefined),
    });
    // It says nothing of its target where we broke it off.
    if (this.#cutOff) return { kind: "declined" };
    this.#options.ended(offer.check.type, run);
    const { executionMs, ...outcome } = run;
    return { kind: "done", outcome, executionMs };
  }

  /** Declines from now on. Resolves when nothing runs, or after `graceMs`: what is broken off then is declined too. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const { clock } = this.#options;
    const deadline = clock.monotonic() + graceMs;
    while (this.running > 0 && clock.monotonic() < deadline) await sleep(clock, stopPollMs);
    this.#cutOff = true;
  }
}
