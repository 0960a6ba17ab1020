import type { RightToAct } from "../platform/right/right-to-act.ts";

type MemberRightOptions = Required<Omit<RightToAct, "onGained">>;

/** Right to act of a member of a pair. */
export class MemberRight implements RightToAct {
  readonly longestActionMs: number;
  readonly pagesWithoutRight: boolean;
  readonly whyEnded: () => string;
  readonly remainingMs: () => number;
  readonly #listeners = new Set<() => void>();
  #endedMs = 0;

  constructor({ remainingMs, longestActionMs, pagesWithoutRight, whyEnded }: MemberRightOptions) {
    this.whyEnded = whyEnded;
    this.remainingMs = remainingMs;
    this.longestActionMs = longestActionMs;
    this.pagesWithoutRight = pagesWithoutRight;
  }

  onGained(callback: () => void): () => void {
    this.#listeners.add(callback);
    return () => void this.#listeners.delete(callback);
  }

  /** Calls the listeners when the right was prolonged. `nowMs`: monotonic. */
  update(nowMs: number): void {
    const endsMs = nowMs + this.remainingMs();
    const isProlonged = this.remainingMs() > 0 && endsMs > this.#endedMs + 1;
    this.#endedMs = endsMs;
    if (isProlonged) for (const listener of [...this.#listeners]) listener();
  }
}
