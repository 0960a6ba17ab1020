import { checkKinds } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { CheckEnvironment } from "../checks/check-type.ts";
import type { CheckRun } from "../checks/run-check.ts";
import type { CheckAnswer } from "../zones/check-answer.ts";
import type { CheckOffer } from "../zones/check-offer.ts";
import { offeredHost, offeredPlan } from "./offered-plan.ts";

export type ZoneWorkerOptions = {
  readonly clock: Clock;
  readonly places: CheckSlotLimits;
  /** Runs a check. Rejects only because of a bug. */
  run(plan: HostPlan | ServicePlan, environment: Omit<CheckEnvironment, "signal">): Promise<CheckRun>;
  ended(type: string, run: CheckRun): void;
  declined(): void;
};

/** Interval at which `stop` polls for the end of the last check, ms. */
const stopPollMs = 20;

/**
 * [ZO2] Runs checks for agents and keeps no state between them. Declines a check at once when no slot is free, so that
 * another worker receives it, and declines all checks while it stops.
 */
export class ZoneWorker {
  readonly #options: ZoneWorkerOptions;
  readonly #places: CheckSlots;
  #stopping = false;
  #interrupted = false;

  constructor(options: ZoneWorkerOptions) {
    this.#options = options;
    this.#places = new CheckSlots(options.places);
  }

  get running(): number {
    return this.#places.taken;
  }

  /** Never rejects. */
  async work(offer: CheckOffer): Promise<CheckAnswer> {
    const freeSlot = this.#stopping ? undefined : this.#places.take(offer.check.type);
    if (freeSlot === undefined) {
      this.#options.declined();
      return { kind: "declined" };
    }
    try {
      return await this.#run(offer);
    } catch (error) {
      return { kind: "refused", why: `the check failed: ${error instanceof Error ? error.name : "error"}` };
    } finally {
      freeSlot();
    }
  }

  async #run(offer: CheckOffer): Promise<CheckAnswer> {
    const { commands, resources, macros } = offer;
    const run = await this.#options.run(offeredPlan(offer), {
      host: offeredHost(offer),
      realm: { commands, resources },
      macro: (name) => (Object.hasOwn(macros, name) ? macros[name] : undefined),
    });
    // The outcome of an interrupted check says nothing about its target.
    if (this.#interrupted) return { kind: "declined" };
    this.#options.ended(offer.check.type, run);
    const { executionMs, ...outcome } = run;
    return { kind: "done", outcome, executionMs };
  }

  /** Declines all further checks. Resolves when none is running, or after `graceMs`; those that still run are declined. */
  async stop(graceMs: number): Promise<void> {
    this.#stopping = true;
    const { clock } = this.#options;
    const deadline = clock.monotonic() + graceMs;
    while (this.running > 0 && clock.monotonic() < deadline) await sleep(clock, stopPollMs);
    this.#interrupted = true;
  }
}

type CheckSlotLimits = {
  /** Maximum number of concurrent checks, at least 1. */
  readonly checks: number;
  /** Maximum number of concurrent checks that run a program, at least 1. */
  readonly programs: number;
};

/** Slots for concurrent checks. A check without a free slot is refused, not queued: another worker may have one. */
class CheckSlots {
  readonly #options: CheckSlotLimits;
  #checks = 0;
  #programs = 0;

  constructor(options: CheckSlotLimits) {
    this.#options = options;
  }

  get taken(): number {
    return this.#checks;
  }

  /** Takes a slot and returns a function that frees it, to be called once; undefined when none is free. */
  take(type: ActiveCheckSpec["type"]): (() => void) | undefined {
    const { uses } = checkKinds[type];
    const program = Number(uses === "command" || uses === "program");
    const { checks, programs } = this.#options;
    if (this.#checks >= checks || this.#programs + program > programs) return undefined;
    this.#checks += 1;
    this.#programs += program;
    return () => {
      this.#checks -= 1;
      this.#programs -= program;
    };
  }
}
