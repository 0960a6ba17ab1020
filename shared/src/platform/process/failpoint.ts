/** Points of a notification, in order, at which a test can end the program as a power failure would. */
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
  | "after-sent";

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
