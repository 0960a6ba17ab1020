/** The places at which a test may end the program, as if the power had gone; in the order in which a message passes them. */
export type Failpoint =
  /** A message is decided, and nothing of it is on disk. */
  | "before-intent"
  /** It is on disk, and nobody was told. */
  | "after-intent"
  /** A receiver took the connection, and was sent nothing. */
  | "after-connect"
  /** The receiver has it, and the journal does not know. */
  | "before-sent"
  /** The journal knows. */
  | "after-sent";

/**
 * Ends this process with SIGKILL at the place that `FAULT=point:count` names, the `count`-th time it comes by (from 1).
 * Where `NODE_ENV` is anything but `test`, which is where people run it, this does nothing at all.
 */
export const failpoint: (point: Failpoint) => void = openFailpoint(process.env);

/** @param end what ends the program; does not come back where it is the real one */
export function openFailpoint(
  env: Readonly<Record<string, string | undefined>>,
  end: () => void = () => process.kill(process.pid, "SIGKILL"),
): (point: Failpoint) => void {
  const [, wanted, count] = /^([a-z-]+):(\d{1,9})$/.exec(env["FAULT"] ?? "") ?? [];
  if (env["NODE_ENV"] !== "test" || wanted === undefined) return () => {};
  let left = Number(count);
  return (point) => {
    if (point !== wanted) return;
    left -= 1;
    if (left === 0) end();
  };
}
