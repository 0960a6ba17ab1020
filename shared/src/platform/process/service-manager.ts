import type { Clock } from "../../model/clock.ts";
import { openServiceNotifier } from "./service-notifier.ts";

export type ServiceManager = {
  /**
   * Reports that the program serves, and starts the watchdog when the manager requests one.
   *
   * @param alive reason why the program counts as hung; undefined while it runs
   */
  ready(status: string, alive: () => string | undefined): void;
  stopping(): void;
};

const nobody: ServiceManager = { ready() {}, stopping() {} };

type Parts = {
  /**
   * Environment of the process. The manager's variables are removed from it, so that child processes do not inherit
   * them.
   */
  readonly env: Record<string, string | undefined>;
  readonly pid: number;
  readonly clock: Clock;
};

/** Reports readiness and liveness to systemd's notify socket; does nothing without one. */
export function openServiceManager({ env, pid, clock }: Parts): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  const notifier = socket === undefined ? undefined : openServiceNotifier(socket);
  if (notifier === undefined) return nobody;
  const isWatched = watched === undefined || watched === String(pid);
  const watchdogMs = isWatched && /^[1-9]\d{0,15}$/.test(usec ?? "") ? Number(usec) / 1000 : undefined;
  let cancel = (): void => {};

  /** Sends the watchdog's keep-alive at twice the required rate, unless the engine hangs. */
  function pat(everyMs: number, alive: () => string | undefined): void {
    if (alive() === undefined) notifier?.send("WATCHDOG=1");
    cancel = clock.after(everyMs, () => pat(everyMs, alive));
  }

  return {
    ready(status, alive) {
      notifier.send("READY=1", `STATUS=${status.replaceAll("\n", " ")}`);
      if (watchdogMs !== undefined) pat(watchdogMs / 2, alive);
    },
    stopping() {
      cancel();
      notifier.send("STOPPING=1");
      notifier.close();
    },
  };
}
