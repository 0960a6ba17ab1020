import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { type Author, noAuthor } from "@realmwatch/shared/model/author";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneAtATime } from "@realmwatch/shared/platform/one-at-a-time";
import type { CommandIntake } from "../api/command-intake.ts";
import type { Journal } from "../journal/journal.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { resolveTimeoutMs } from "./alert.ts";
import { FiringAlerts, parseStoredAlert } from "./firing-alerts.ts";
import type { MappedAlert } from "./mapped-alert.ts";

type AlertIntakeOptions = {
  readonly clock: Clock;
  readonly realm: Pick<RealmReader, "records">;
  readonly intake: Pick<CommandIntake, "submit">;
  readonly journal: Pick<Journal, "firingAlerts">;
  /** Called when the end of alerts could not be stored; it is tried again. */
  readonly endFailed: (refusal: Refusal) => void;
};

/** Maximum number of alerts that fire at a time. */
const maxFiring = 100_000;
/** Longest time between two readings of the wall clock, which may jump, ms. */
const longestWaitMs = 30_000;

/**
 * Submits alerts as results, one request after the other: into the journal, then into the engine's queue. Keeps those
 * that fire, and ends each at its time.
 */
export class AlertIntake {
  readonly #options: AlertIntakeOptions;
  readonly #firing = new FiringAlerts();
  readonly #inTurn = oneAtATime();
  #cancelTimer = (): void => {};
  #closed = false;

  constructor(options: AlertIntakeOptions) {
    this.#options = options;
  }

  /**
   * [AR9, AR20] Restores the alerts of the journal. None of them ends before its sender had time to send it again. Fails
   * when they cannot be read: what still fires would become ok.
   */
  async start(): Promise<Result<void, Refusal>> {
    const { clock, journal } = this.#options;
    const stored = await journal.firingAlerts();
    if (!stored.ok) return stored;
    const earliestMs = clock.now() + resolveTimeoutMs;
    for (const alert of stored.value.map(parseStoredAlert))
      this.#firing.restore({ ...alert, firesUntilMs: Math.max(alert.firesUntilMs, earliestMs) });
    this.#schedule();
    return ok(undefined);
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
    await this.#inTurn(async () => {});
  }

  async #submit(
    alerts: readonly MappedAlert[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Result<undefined, Refusal>> {
    if (this.#firing.size + alerts.length > maxFiring)
      return fail({ kind: "exhausted", what: `more than ${maxFiring} alerts would fire` });
    const refusal = await this.#store(alerts, by, audit);
    if (refusal !== undefined) return fail(refusal);
    this.#schedule();
    return ok(undefined);
  }

  /**
   * [AR13] Applies alerts with their results, or refuses them as a whole. One command carries both, so that neither a
   * crash nor a takeover finds an object's status without the alerts that it is made of.
   */
  async #store(
    alerts: readonly MappedAlert[],
    by: Author,
    audit: readonly AuditRecord[],
  ): Promise<Refusal | undefined> {
    const { clock, realm, intake } = this.#options;
    const { results, changes, undo } = this.#firing.apply(alerts, clock.now());
    // An object that the document has no longer takes no result.
    const known = results.filter(({ ref }) => realm.records.has(ref));
    const command = { kind: "process_check_results", results: known } as const;
    const accepted = await intake.submit(command, by, { audit, alerts: changes });
    if (accepted.ok) return undefined;
    undo();
    return accepted.error;
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
    const ended = this.#firing.ended(clock.now());
    const refusal = ended.length === 0 ? undefined : await this.#store(ended, noAuthor, []);
    if (refusal === undefined) return this.#schedule();
    endFailed(refusal);
    this.#cancelTimer = clock.after(longestWaitMs, () => void this.#inTurn(() => this.#endDue()));
  }
}
