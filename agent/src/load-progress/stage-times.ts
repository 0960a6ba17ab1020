import type { LoadStage } from "@realmwatch/shared/load/worker-messages";

const seconds = (ms: number): string => `${(ms / 1000).toFixed(3)} s`;

/** Durations of the stages of one load, whose first is `start`. A stage that is entered again goes on. */
export class StageTimes {
  readonly #nowMs: () => number;
  readonly #durations = new Map<LoadStage, number>();
  #stage: LoadStage = "start";
  #sinceMs: number;

  /** @param nowMs monotonic time */
  constructor(nowMs: () => number) {
    this.#nowMs = nowMs;
    this.#sinceMs = nowMs();
  }

  enter(stage: LoadStage): void {
    const nowMs = this.#nowMs();
    this.#durations.set(this.#stage, (this.#durations.get(this.#stage) ?? 0) + nowMs - this.#sinceMs);
    this.#stage = stage;
    this.#sinceMs = nowMs;
  }

  /** Ends the current stage. Returns one line a stage, in the order of the load, and one with their sum. */
  finish(): readonly string[] {
    this.enter(this.#stage);
    const sumMs = [...this.#durations.values()].reduce((sum, each) => sum + each, 0);
    const line = (name: string, ms: number): string =>
      `time: ${name.padEnd(8)} ${seconds(ms).padStart(9)} ${`${Math.round((ms / sumMs) * 100)} %`.padStart(6)}`;
    return [...[...this.#durations].map(([stage, ms]) => line(stage, ms)), line("in all", sumMs)];
  }
}
