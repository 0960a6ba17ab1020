import { renameSync, rmSync } from "node:fs";
import type { Clock } from "@realmwatch/shared/model/clock";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { type MetricLog, openMetricLog } from "./metric-log.ts";
import { type MetricLogStore, openMetricLogStore } from "./metric-log-store.ts";

/** Size at which the oldest blocks of a log in memory are deleted, bytes. */
const maxMemoryBytes = 67_108_864;

/**
 * Opens the metric log in a file. A file that is damaged is put aside, and where no file can be opened the log is kept in
 * memory: the agent goes on, and the error is logged.
 */
export function openMetricLogFile(
  path: string,
  { clock, log, maxBytes }: { clock: Clock; log: Pick<Log, "error">; maxBytes?: number | undefined },
): MetricLog {
  const onFailure = (why: string): void => log.error({ why }, "the log of the sinks cannot be written or read");
  const onDamage = (what: string): void =>
    log.error({ what }, "the log of the sinks is damaged; what cannot be read is not delivered");
  const attempt = (from: string): MetricLogStore | string => {
    try {
      return openMetricLogStore(from, onDamage);
    } catch (error) {
      return errorText(error);
    }
  };
  let opened = attempt(path);
  if (typeof opened === "string") {
    log.error({ why: opened }, "the log of the sinks cannot be opened and is put aside");
    putAside(path, clock.now());
    opened = attempt(path);
  }
  if (typeof opened !== "string")
    return openMetricLog({ store: opened, onFailure, ...(maxBytes === undefined ? {} : { maxBytes }) });
  log.error({ why: opened }, "the log of the sinks is kept in memory and does not survive a restart");
  return openMetricLog({ store: openMetricLogStore(":memory:", onDamage), onFailure, maxBytes: maxMemoryBytes });
}

function putAside(path: string, nowMs: number): void {
  try {
    renameSync(path, `${path}.damaged-${nowMs}`);
    for (const suffix of ["-wal", "-shm"]) rmSync(path + suffix, { force: true });
  } catch {
    // The next attempt to open it fails for the same reason and reports it.
  }
}
