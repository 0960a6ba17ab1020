import type { Clock } from "@realmwatch/shared/model/clock";
import { openServiceNotifier } from "./platform/service-notifier.ts";

export type ServiceManager = {
  /**
   * The program serves. From now on it is watched, where the manager wants that.
   *
   * @param alive why the program is as good as dead; undefined while it is not
   */
  ready(status: string, alive: () => string | undefined): void;
  stopping(): void;
};

const nobody: ServiceManager = { ready() {}, stopping() {} };

type Parts = {
  /** Of the process. What is for this process alone is taken out, so that no program it starts inherits it. */
  readonly env: Record<string, string | undefined>;
  readonly pid: number;
  readonly clock: Clock;
};

/** Tells systemd, or who speaks like it, that the agent is up and alive; does nothing where nobody asked. */
export function openServiceManager({ env, pid, clock }: Parts): ServiceManager {
  const { NOTIFY_SOCKET: socket, WATCHDOG_USEC: usec, WATCHDOG_PID: watched } = env;
  for (const name of ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"]) delete env[name];
  const notifier = socket === undefined ? undefined : openServiceNotifier(socket);
  if (notifier === undefined) return nobody;
  const isWatched = watched === undefined || watched === String(pid);
  const watchdogMs = isWatched && /^[1-9]\d{0,15}$/.test(usec ?? "") ? Number(usec) / 1000 : undefined;
  let cancel = (): void => {};

  /** Twice as often as it has to be. A loop that hangs sends nothing, and neither does one whose engine hangs. */
  function pat(everyMs: number, alive: () => string | undefined): void {
    if (alive() === undefined) notifier?.say("WATCHDOG=1");
    cancel = clock.after(everyMs, () => pat(everyMs, alive));
  }

  return {
    ready(status, alive) {
      notifier.say("READY=1", `STATUS=${status.replaceAll("\n", " ")}`);
      if (watchdogMs !== undefined) pat(watchdogMs / 2, alive);
    },
    stopping() {
      cancel();
      notifier.say("STOPPING=1");
      notifier.close();
    },
  };
}
