import type { RecordedEvent } from "./recording.ts";

/** Times of each object's state changes. Queries of one object must come in ascending order of time. */
export class StateChangeTimes {
  readonly #times = new Map<string, { readonly atMs: number[]; next: number }>();

  constructor(events: Iterable<RecordedEvent>) {
    for (const event of events) {
      if (event.kind !== "state") continue;
      this.#times.getOrInsertComputed(event.ref, () => ({ atMs: [], next: 0 })).atMs.push(event.atMs);
    }
  }

  /** True when the object changes in (`fromMs`, `untilMs`]. */
  isBetween(ref: string, fromMs: number, untilMs: number): boolean {
    const times = this.#times.get(ref);
    if (times === undefined) return false;
    while ((times.atMs[times.next] ?? Infinity) <= fromMs) times.next += 1;
    return (times.atMs[times.next] ?? Infinity) <= untilMs;
  }
}
