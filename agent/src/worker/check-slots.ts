import { checkKinds } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";

export type CheckSlotLimits = {
  /** Maximum number of concurrent checks, at least 1. */
  readonly checks: number;
  /** Maximum number of concurrent checks that run a program, at least 1. */
  readonly programs: number;
};

/** Limits of concurrent checks. There is no queue, because another worker may have a free slot. */
export class CheckSlots {
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
