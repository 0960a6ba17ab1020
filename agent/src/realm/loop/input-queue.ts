import type { Clock } from "@realmwatch/shared/model/clock";
import type { PlanSwapResult } from "../reload/swap-plan.ts";
import type { LoopInput } from "./loop-input.ts";

/** Replacement of the plan. It is not processed in a round together with other inputs. */
export type PlanSwap = {
  readonly kind: "plan";
  readonly swap: () => Promise<PlanSwapResult>;
  readonly done: (result: PlanSwapResult) => void;
};

/** Maximum number of inputs per round: enough that they share one sync of the disk. */
const maxInputsPerRound = 2000;
/** Time after which a round takes no more inputs, ms. Writing and publishing its changes takes about as long again. */
const maxTakeMs = 6;

/** Inputs that wait for their round, first in, first out. */
export class InputQueue {
  readonly #clock: Clock;
  readonly #queue: (LoopInput | PlanSwap)[] = [];
  #commands = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  get size(): number {
    return this.#queue.length;
  }

  /** Number of commands in the queue. */
  get commands(): number {
    return this.#commands;
  }

  add(input: LoopInput | PlanSwap): void {
    this.#queue.push(input);
    if (input.kind === "command") this.#commands += 1;
  }

  /** Removes and returns the first entry if it is a plan swap; else undefined. */
  takePlan(): PlanSwap | undefined {
    const first = this.#queue[0];
    if (first?.kind !== "plan") return undefined;
    this.#queue.shift();
    return first;
  }

  /** Removes the inputs of one round, at least one and none behind a plan swap, and calls `apply` with each. */
  take(apply: (input: LoopInput) => void): void {
    const endsAt = this.#clock.monotonic() + maxTakeMs;
    let taken = 0;
    do {
      const input = this.#queue[taken];
      if (input === undefined || input.kind === "plan") break;
      taken += 1;
      if (input.kind === "command") this.#commands -= 1;
      apply(input);
    } while (taken < maxInputsPerRound && this.#clock.monotonic() < endsAt);
    this.#queue.splice(0, taken);
  }
}
