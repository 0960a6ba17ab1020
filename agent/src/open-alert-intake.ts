import type { Clock } from "@realmwatch/shared/model/clock";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { AlertIntake } from "./alerts/alert-intake.ts";
import type { CommandIntake } from "./api/command-intake.ts";
import type { Journal } from "./journal/journal.ts";
import type { RealmReader } from "./realm/state/realm-reader.ts";

type OpenAlertIntakeOptions = {
  readonly realm: Pick<RealmReader, "records">;
  readonly intake: CommandIntake;
  readonly journal: Pick<Journal, "firingAlerts">;
  readonly clock: Clock;
  readonly log: Log;
};

/**
 * Opens the intake of alerts. Those that were taken before go on ending at their time, also in a read-only agent. Fails
 * with a sentence.
 */
export async function openAlertIntake({
  log,
  ...options
}: OpenAlertIntakeOptions): Promise<Result<AlertIntake, string>> {
  const intake = new AlertIntake({
    ...options,
    endFailed: (refusal) => log.warn({ why: formatRefusal(refusal) }, "alerts have ended, which cannot be stored yet"),
  });
  const started = await intake.start();
  return started.ok ? ok(intake) : fail(`the alerts that fire cannot be restored: ${formatRefusal(started.error)}`);
}
