import type { Log } from "@realmwatch/shared/platform/log/log";
import type { ServiceManager } from "@realmwatch/shared/platform/process/service-manager";
import type { TimedUpgradeProgress } from "../journal/threads/journal-protocol.ts";

/** Time between two lines of the log about a running upgrade, ms. */
const reportEveryMs = 5_000;

type UpgradeReportOptions = {
  readonly log: Log;
  readonly service: ServiceManager;
  readonly dataDir: string;
};

/**
 * Logs the progress of an upgrade of the journal: its begin, every five seconds, and its end. The port opens only
 * afterwards, so the service manager is asked for more time as well.
 */
export function upgradeReport({ log, service, dataDir }: UpgradeReportOptions) {
  let begunAtMs: number | undefined;
  let reportedAtMs = Number.NEGATIVE_INFINITY;
  return ({ doneRecords, records, fromVersion, toVersion, atMs }: TimedUpgradeProgress): void => {
    const isOver = doneRecords === records;
    begunAtMs ??= atMs;
    if (!isOver && atMs - reportedAtMs < reportEveryMs) return;
    reportedAtMs = atMs;
    const percent = Math.floor((100 * doneRecords) / records);
    service.starting(`upgrading the journal, ${percent} % of ${records} records`);
    const fields = { dataDir, fromVersion, toVersion, records };
    if (isOver) log.info({ ...fields, durationMs: atMs - begunAtMs }, "the journal is upgraded");
    else log.info({ ...fields, doneRecords, percent }, "the journal is being upgraded; the port opens afterwards");
  };
}
