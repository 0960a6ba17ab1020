import type { StageReport } from "@realmwatch/shared/load/worker-messages";
import { type Clock, repeat } from "@realmwatch/shared/model/clock";

/** Terminal of a program, as far as a line on it needs one. */
export type Terminal = {
  /** Width; 0 when it is not known. */
  readonly columns: number;
  write(text: string): unknown;
};

/** Interval at which the line is written again, because it has the time in it, ms. */
const intervalMs = 200;
/** Moves the cursor to the start of its line and clears that. */
const clearLine = "\r\u001b[K";
/** Width of a terminal that does not know its own. */
const defaultColumns = 80;

/** Terminal of standard error; undefined for a file, a pipe, and a terminal that cannot rewrite a line. */
export const terminalOfStderr = (): Terminal | undefined =>
  process.stderr.isTTY && process.env["TERM"] !== "dumb" ? process.stderr : undefined;

/** One line on a terminal that says how far a load is. It is rewritten in place, and removed at the end. */
export class ProgressLine {
  readonly #terminal: Terminal;
  readonly #clock: Clock;
  readonly #sinceMs: number;
  readonly #stopRepeating: () => void;
  #report: StageReport = { stage: "start" };

  constructor(terminal: Terminal, clock: Clock) {
    this.#terminal = terminal;
    this.#clock = clock;
    this.#sinceMs = clock.monotonic();
    this.#stopRepeating = repeat(clock, intervalMs, () => this.#draw());
    this.#draw();
  }

  show(report: StageReport): void {
    this.#report = report;
    this.#draw();
  }

  close(): void {
    this.#stopRepeating();
    this.#terminal.write(clearLine);
  }

  #draw(): void {
    const { stage, fraction = 0 } = this.#report;
    const done = fraction > 0 ? ` ${Math.floor(fraction * 100)} %` : "";
    const elapsed = ((this.#clock.monotonic() - this.#sinceMs) / 1000).toFixed(1);
    // A line that is too long would be wrapped, and only its last row could be cleared.
    this.#terminal.write(
      `${clearLine}${`checking: ${stage}${done}, ${elapsed} s`.slice(0, (this.#terminal.columns || defaultColumns) - 1)}`,
    );
  }
}
