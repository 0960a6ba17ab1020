import type { PassiveResult } from "@realmwatch/shared/commands/process-check-results";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { type Author, noAuthor } from "@realmwatch/shared/model/author";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CommandIntake } from "../api/command-intake.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { resolveTimeoutMs } from "./alert.ts";
import { FiringAlerts } from "./firing-alerts.ts";
import type { FiringAlertsFile } from "./firing-alerts-file.ts";
import type { MappedAlert } from "./mapped-alert.ts";

type AlertIntakeOptions = {
  readonly clock: Clock;
  readonly realm: Pick<RealmReader, "records">;
  readonly intake: Pick<CommandIntake, "submit">;
  /** Opens the file that keeps the alerts. */
  readonly file: (alerts: FiringAlerts) => FiringAlertsFile;
  /** Called when the end of alerts could not be stored; it is tried again. */
  readonly endFailed: (refusal: Refusal) => void;
};

/** Maximum number of alerts that fire at a time. */
const maxFiring = 100_000;
/** Longest time between two readings of the wall clock, which may jump, ms. */
const longestWaitMs = 30_000;
/** Maximum number of results of one command. */
const batchSize = 10_000;

/**
 * Submits alerts as results, one request after the other: into the journal, then into the engine's queue. Keeps those
 * that fire, and ends each at its time.
 */
export class AlertIntake {
  readonly #options: AlertIntakeOptions;
  readonly #firing = new FiringAlerts();
  readonly #file: FiringAlertsFile;
  #last: Promise<unknown> = Promise.resolve();
  #cancelTimer = (): void => {};
  #closed = false;

  constructor(options: AlertIntakeOptions) {
    this.#options = options;
    this.#file = options.file(this.#firing);
  }

  /** [AR9] Restores the alerts of the last run. None of them ends before its sender had time to send it again. */
  async start(): Promise<void> {
    const earliestMs = this.#options.clock.now() + resolveTimeoutMs;
    for (const alert of await this.#file.read())
      this.#firing.restore({ ...alert, firesUntilMs: Math.max(alert.firesUntilMs, earliestMs) });
    this.#schedule();
  }

  /** Resolves when the results of the alerts are on disk, together with the audit records. */
  submit(
    alerts: readonly MappedAlert[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Result<undefined, Refusal>> {
    return this.#inTurn(() => this.#submit(alerts, by, audit));
  }

  /** Waits for the request in progress, and ends no further alert. */
  async close(): Promise<void> {
    this.#closed = true;
    this.#cancelTimer();
    await this.#last;
  }

  #inTurn<T>(run: () => Promise<T>): Promise<T> {
    const turn = this.#last.then(run);
    this.#last = turn.catch(() => undefined);
    return turn;
  }

  /** [AR13] Refuses the alerts as a whole when their results cannot be stored. */
  async #submit(
    alerts: readonly MappedAlert[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Result<undefined, Refusal>> {
    if (this.#firing.size + alerts.length > maxFiring)
      return fail({ kind: "exhausted", what: `more than ${maxFiring} alerts would fire` });
    const change = this.#firing.apply(alerts, this.#options.clock.now());
    const refusal = await this.#store(change.results, by, audit);
    if (refusal !== undefined) {
      change.undo();
      return fail(refusal);
    }
    await this.#file.save();
    this.#schedule();
    return ok(undefined);
  }

  async #store(
    results: readonly PassiveResult[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Refusal | undefined> {
    // An object that the document has no longer takes no result.
    const known = results.filter(({ ref }) => this.#options.realm.records.has(ref));
    for (let first = 0; first < known.length; first += batchSize) {
      const command = { kind: "process_check_results", results: known.slice(first, first + batchSize) } as const;
      const accepted = await this.#options.intake.submit(command, by, first === 0 ? { audit } : {});
      if (!accepted.ok) return accepted.error;
    }
    return undefined;
  }

  #schedule(): void {
    this.#cancelTimer();
    if (this.#closed || this.#firing.size === 0) return;
    const { clock } = this.#options;
    const waitMs = Math.min(longestWaitMs, Math.max(0, this.#firing.nextEndMs - clock.now()));
    this.#cancelTimer = clock.after(waitMs, () => void this.#inTurn(() => this.#endDue()));
  }

  async #endDue(): Promise<void> {
    if (this.#closed) return;
    const { clock, endFailed } = this.#options;
    const change = this.#firing.apply(this.#firing.ended(clock.now()), clock.now());
    const refusal = await this.#store(change.results, noAuthor, []);
    if (refusal !== undefined) {
      change.undo();
      endFailed(refusal);
      this.#cancelTimer = clock.after(longestWaitMs, () => void this.#inTurn(() => this.#endDue()));
      return;
    }
    if (change.results.length > 0) await this.#file.save();
    this.#schedule();
  }
}
