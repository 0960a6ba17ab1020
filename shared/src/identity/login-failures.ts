import type { Clock } from "../model/clock.ts";

const windowMs = 60_000;
/** Maximum number of keys counted at a time; further ones share one count. */
const maxKeys = 10_000;
const manyKeys = "(many)";

type FailureWindow = { readonly endsMs: number; failures: number };

/** Counts failed logins by key, such as a name or a peer, in windows of a minute from the first failure. */
export class LoginFailures {
  readonly #clock: Pick<Clock, "monotonic">;
  readonly #windows = new Map<string, FailureWindow>();

  constructor(clock: Pick<Clock, "monotonic">) {
    this.#clock = clock;
  }

  count(key: string): number {
    return this.#windowOf(key)?.failures ?? 0;
  }

  /** Time until the key's failures are forgotten, ms; 0 when there are none. */
  remainingMs(key: string): number {
    const window = this.#windowOf(key);
    return window === undefined ? 0 : window.endsMs - this.#clock.monotonic();
  }

  add(key: string): void {
    const window = this.#windowOf(key);
    if (window !== undefined) {
      window.failures += 1;
      return;
    }
    if (this.#windows.size >= maxKeys) this.#forgetEnded();
    const counted = this.#windows.size >= maxKeys ? manyKeys : key;
    const shared = this.#windows.get(counted);
    if (shared !== undefined && this.#isOpen(shared)) shared.failures += 1;
    else this.#windows.set(counted, { endsMs: this.#clock.monotonic() + windowMs, failures: 1 });
  }

  /** The key's own window, or while too many keys are counted the one of all others. */
  #windowOf(key: string): FailureWindow | undefined {
    const own = this.#windows.get(key);
    if (own !== undefined && this.#isOpen(own)) return own;
    const shared = this.#windows.size < maxKeys ? undefined : this.#windows.get(manyKeys);
    return shared !== undefined && this.#isOpen(shared) ? shared : undefined;
  }

  #isOpen(window: FailureWindow): boolean {
    return this.#clock.monotonic() < window.endsMs;
  }

  #forgetEnded(): void {
    for (const [key, window] of this.#windows) if (!this.#isOpen(window)) this.#windows.delete(key);
  }
}
