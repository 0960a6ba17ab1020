import type { Clock } from "@realmwatch/shared/model/clock";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { AlertIntake } from "./alerts/alert-intake.ts";
import { firingAlertsFile } from "./alerts/firing-alerts-file.ts";
import type { CommandIntake } from "./api/command-intake.ts";
import type { AgentFlags } from "./flags.ts";
import type { RealmReader } from "./realm/state/realm-reader.ts";

type OpenAlertIntakeOptions = {
  readonly flags: Pick<AgentFlags, "dataDir">;
  readonly realm: Pick<RealmReader, "records">;
  readonly intake: CommandIntake;
  readonly clock: Clock;
  readonly log: Log;
};

/** Opens the intake of alerts. Those that were taken before go on ending at their time, also in a read-only agent. */
export async function openAlertIntake({ flags, log, ...options }: OpenAlertIntakeOptions): Promise<AlertIntake> {
  const intake = new AlertIntake({
    ...options,
    file: (alerts) => firingAlertsFile({ dataDir: flags.dataDir, alerts, log }),
    endFailed: (refusal) => log.warn({ why: formatRefusal(refusal) }, "alerts have ended, which cannot be stored yet"),
  });
  await intake.start();
  return intake;
}
