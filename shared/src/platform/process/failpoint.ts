/** Points of a notification or of the installation of a snapshot, in order, at which a test can end the program as a power failure would. */
export type Failpoint =
  /** The notification is planned and not yet on disk. */
  | "before-intent"
  /** The intent is on disk, and nothing was sent. */
  | "after-intent"
  /** The receiver accepted the connection, and nothing was sent. */
  | "after-connect"
  /** The receiver accepted the notification, and the journal does not record it yet. */
  | "before-sent"
  /** The journal records the delivery. */
  | "after-sent"
  /** A standby has a checked snapshot, and its own journal. */
  | "before-snapshot"
  /** The snapshot is to be installed. */
  | "snapshot-decided"
  /** The cursors of the old journal are dropped. */
  | "cursors-dropped"
  /** The log of the old journal is removed. */
  | "log-removed"
  /** The snapshot is in place. */
  | "snapshot-installed";

/**
 * Ends this process with SIGKILL when it passes the point of the environment variable `FAULT=point:count` for the
 * `count`-th time (from 1). Does nothing unless `NODE_ENV` is `test`.
 */
export const failpoint: (point: Failpoint) => void = openFailpoint(process.env);

/** @param end ends the program; the default does not return */
export function openFailpoint(
  env: Readonly<Record<string, string | undefined>>,
  end: () => void = () => process.kill(process.pid, "SIGKILL"),
): (point: Failpoint) => void {
  const [, target, count] = /^([a-z-]+):(\d{1,9})$/.exec(env["FAULT"] ?? "") ?? [];
  if (env["NODE_ENV"] !== "test" || target === undefined) return () => {};
  let left = Number(count);
  return (point) => {
    if (point !== target) return;
    left -= 1;
    if (left === 0) end();
  };
}
