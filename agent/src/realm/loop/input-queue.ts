import type { Clock } from "@realmwatch/shared/model/clock";
import type { PlanSwapResult } from "../reload/swap-plan.ts";
import type { LoopInput } from "./loop-input.ts";

/** Another plan, which has a round of its own. */
export type PlanSwap = {
  readonly kind: "plan";
  readonly swap: () => Promise<PlanSwapResult>;
  readonly done: (swapped: PlanSwapResult) => void;
};

/** Inputs of one round at most: enough to share a sync. */
const roundSize = 2000;
/** A round takes no more inputs after so long, ms: to keep and to tell them holds the thread as long again. */
const takeMs = 6;

/** What waits for its round, in the order in which it came. */
export class InputQueue {
  readonly #clock: Clock;
  readonly #waiting: (LoopInput | PlanSwap)[] = [];
  #commands = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#waiting.length;
  }

  /** Commands among them. */
  get commands(): number {
    return this.#commands;
  }

  add(waiting: LoopInput | PlanSwap): void {
    this.#waiting.push(waiting);
    if (waiting.kind === "command") this.#commands += 1;
  }

  /** Another plan, where that is what has waited longest. */
  takePlan(): PlanSwap | undefined {
    const first = this.#waiting[0];
    if (first?.kind !== "plan") return undefined;
    this.#waiting.shift();
    return first;
  }

  /** Hands over what has waited longest, up to a round's worth, at least one, and nothing behind another plan. */
  take(each: (input: LoopInput) => void): void {
    const endsAt = this.#clock.monotonic() + takeMs;
    let taken = 0;
    do {
      const input = this.#waiting[taken];
      if (input === undefined || input.kind === "plan") break;
      taken += 1;
      if (input.kind === "command") this.#commands -= 1;
      each(input);
    } while (taken < roundSize && this.#clock.monotonic() < endsAt);
    this.#waiting.splice(0, taken);
  }
}
