import { spawn } from "node:child_process";
import { once } from "node:events";
import { chmodSync, createWriteStream, existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { Readable } from "node:stream";
import { pipeline } from "node:stream/promises";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { tempFolder } from "../../run/processes.ts";
import { nagiosMainFile } from "./nagios4-main-file.ts";

/** Nagios 4 with passive hosts `web0` and following, which takes results from its command pipe. */
type NagiosPipe = {
  readonly pid: number;
  /** Writes lines, of which the last one says that host `last` is down. Resolves once Nagios has logged that. */
  write(lines: readonly string[], last: string): Promise<void>;
};

function objectsOf(hosts: number): string {
  const head = `define command {
  command_name none
  command_line /bin/true
}
define contact {
  contact_name ops
  host_notifications_enabled 0
  service_notifications_enabled 0
  host_notification_commands none
  service_notification_commands none
}
define service {
  host_name web0
  service_description required
  check_command none
  max_check_attempts 1
  active_checks_enabled 0
  contacts ops
}`;
  const host = (n: number): string => `define host {
  host_name web${n}
  address 127.0.0.1
  max_check_attempts 1
  active_checks_enabled 0
  contacts ops
}`;
  return [head, ...Array.from({ length: hosts }, (_, n) => host(n))].join("\n");
}

const settings = `log_external_commands=0
log_passive_checks=0
check_external_commands=1
accept_passive_host_checks=1`;

/** Starts Nagios for the duration of `scope`; undefined when it is not installed. */
export async function startNagiosPipe(scope: TestScope, hosts: number): Promise<NagiosPipe | undefined> {
  const folder = tempFolder(scope, "nagios");
  chmodSync(folder, 0o777);
  writeFileSync(join(folder, "objects.cfg"), objectsOf(hosts));
  writeFileSync(join(folder, "nagios.cfg"), nagiosMainFile(folder, settings));
  const child = spawn("nagios4", [join(folder, "nagios.cfg")], { stdio: "ignore" });
  try {
    await once(child, "spawn");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
  atEnd(scope, async () => {
    if (child.exitCode !== null || child.signalCode !== null) return;
    const gone = once(child, "exit");
    child.kill("SIGTERM");
    await gone;
  });
  const log = join(folder, "nagios.log");
  const logs = (text: string, what: string): Promise<unknown> =>
    until(what, () => existsSync(log) && readFileSync(log, "utf8").includes(text), {
      withinMs: 120_000,
      everyMs: 10,
      stopWhen: () => child.exitCode !== null,
    });
  await logs("Successfully launched command file worker", "Nagios 4 is up");
  return {
    pid: child.pid ?? 0,
    async write(lines, last) {
      await pipeline(Readable.from(lines), createWriteStream(join(folder, "nagios.cmd")));
      await logs(`HOST ALERT: ${last};DOWN`, "the last result is applied");
    },
  };
}
