import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CentreChannel, CentreState } from "./centre-contract.ts";

/** Time after which a query is refused that has waited for the main thread, ms. */
const maxWaitMs = 10_000;

type Query = (state: Result<CentreState, Refusal>) => void;

/**
 * State of the centre for queries. Each query waits for a state that arrives after it has begun: the rows that are held
 * then are those that the state speaks of. Queries that begin meanwhile share it.
 */
export class AwaitedState {
  readonly #engine: CentreChannel;
  readonly #clock: Clock;
  readonly #waiting: Query[] = [];
  #last: CentreState | undefined;
  #cancelTimer = (): void => {};

  constructor(engine: CentreChannel, clock: Clock) {
    this.#engine = engine;
    this.#clock = clock;
  }

  /** State that arrived last. */
  get last(): CentreState | undefined {
    return this.#last;
  }

  /** Calls a query with the next state as it arrives: changes of rows may follow in the same turn. */
  onNext(query: Query): void {
    if (this.#waiting.push(query) > 1) return;
    const what = "the aggregator's main thread has not answered for 10 s";
    this.#cancelTimer = this.#clock.after(maxWaitMs, () => this.#answer(fail({ kind: "unavailable", what })));
    this.#engine.tell("wantState");
  }

  arrived(state: CentreState): void {
    this.#last = state;
    this.#answer(ok(state));
  }

  #answer(state: Result<CentreState, Refusal>): void {
    this.#cancelTimer();
    for (const query of this.#waiting.splice(0)) query(state);
  }
}
