import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";

export type CheckSlotLimits = {
  /** Checks at a time, at least 1. */
  readonly checks: number;
  /** Checks at a time that run a program, at least 1. */
  readonly programs: number;
};

/** What runs at a time. Nobody waits for a place: another worker may have one now. */
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

  /** Takes a place and returns what gives it back, once; undefined where there is none. */
  take(type: ActiveCheckSpec["type"]): (() => void) | undefined {
    const program = Number(type === "command" || type === "legacy");
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
