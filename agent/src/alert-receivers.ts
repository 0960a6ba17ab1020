import type { AuditLog } from "@realmwatch/shared/model/audit";
import type { Clock } from "@realmwatch/shared/model/clock";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import type { Uploads } from "@realmwatch/shared/platform/http/uploads";
import type { Log } from "@realmwatch/shared/platform/log/log";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import { AlertIntake } from "./alerts/alert-intake.ts";
import { alertUploads } from "./alerts/alert-uploads.ts";
import { firingAlertsFile } from "./alerts/firing-alerts-file.ts";
import { unmappedAlerts } from "./alerts/unmapped-alerts.ts";
import type { CommandIntake } from "./api/command-intake.ts";
import type { AgentFlags } from "./flags.ts";
import type { RealmReader } from "./realm/state/realm-reader.ts";

type AlertReceiversOptions = {
  readonly flags: Pick<AgentFlags, "dataDir" | "readOnly" | "apiToken">;
  /** True when the agent has an auth document. */
  readonly hasIdentities: boolean;
  readonly realm: RealmReader;
  readonly intake: CommandIntake;
  readonly audit: AuditLog;
  readonly clock: Clock;
  readonly log: Log;
  readonly metrics: Metrics;
};

export type AlertReceivers = {
  /** Paths of the receivers; undefined for a read-only agent, which takes no alerts. */
  readonly uploads: Uploads | undefined;
  close(): Promise<void>;
};

/** Opens the receivers of alerts. Alerts that were taken before go on ending at their time, also in a read-only agent. */
export async function openAlertReceivers(options: AlertReceiversOptions): Promise<AlertReceivers> {
  const { flags, realm, clock, log, metrics, audit } = options;
  const requests = metrics.counter({
    name: "alert_requests_total",
    help: "Requests with alerts, by outcome.",
    labels: ["outcome"],
  });
  const unmapped = unmappedAlerts({ metrics, log, planHash: () => realm.plan.hash });
  const intake = new AlertIntake({
    clock,
    realm,
    intake: options.intake,
    file: (alerts) => firingAlertsFile({ dataDir: flags.dataDir, alerts, log }),
    endFailed: (refusal) => log.warn({ why: formatRefusal(refusal) }, "alerts have ended, which cannot be stored yet"),
  });
  await intake.start();
  const uploads = alertUploads({
    ...{ clock, realm, intake, audit, unmapped },
    authenticated: options.hasIdentities || flags.apiToken !== undefined,
    counted: (outcome) => requests.inc({ outcome }),
  });
  return { uploads: flags.readOnly ? undefined : uploads, close: () => intake.close() };
}
