/** Right of this agent to act on the world outside: to deliver notifications, run event handlers, feed sinks, answer commands. */
export interface RightToAct {
  /** Time for which this agent certainly has the right, ms; 0 without it, Infinity for an agent without a pair. */
  remainingMs(): number;
  /**
   * Longest time that one delivery, handler or batch may take, ms; Infinity for an agent without a pair. Longer timeouts
   * are cut to it.
   */
  readonly longestActionMs: number;
  /** True when notifications go on without the right, each marked as a possible duplicate (`-pair-on-lost-lease page`). */
  readonly pagesWithoutRight: boolean;
  /** Calls back when the right was gained or prolonged after it had ended or was too short. Returns the end of the calls. */
  onGained(callback: () => void): () => void;
  /** Reason why the right has ended, as the end of a sentence. Default: a general one. */
  whyEnded?(): string;
}

/** Right of an agent without a pair. */
export const unlimitedRight: RightToAct = {
  remainingMs: () => Number.POSITIVE_INFINITY,
  longestActionMs: Number.POSITIVE_INFINITY,
  pagesWithoutRight: false,
  onGained: () => () => {},
};
