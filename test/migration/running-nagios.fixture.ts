import { appendFileSync, existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { tempFolder } from "../run/processes.ts";
import { ownUser, startDaemon } from "./running-daemon.fixture.ts";

/** Result of a host or service, as the command file takes it. `code`: 0 is ok; 1 to 3 are problems. */
export type SentResult = { readonly ref: string; readonly code: number };

type RunningNagios = {
  readonly mainFile: string;
  readonly statusFile: string;
  readonly logFile: string;
  /** Submits results in their order, and waits until the status file has all of them. */
  send(results: readonly SentResult[]): Promise<void>;
};

/** Block of an object definition. */
export const definition = (type: string, fields: Readonly<Record<string, string | number>>): string =>
  `define ${type} {\n${Object.entries(fields)
    .map(([name, value]) => `  ${name} ${value}\n`)
    .join("")}}\n`;

/** Starts a `nagios4` that executes no check and takes results by its command file; `options` are added to its main file. */
export async function startNagios(
  scope: TestScope,
  objects: string,
  options: Readonly<Record<string, string | number>> = {},
): Promise<RunningNagios> {
  const folder = tempFolder(scope, "nagios4");
  const at = (name: string): string => join(folder, name);
  const { user, group } = ownUser();
  mkdirSync(at("checkresults"));
  writeFileSync(at("objects.cfg"), objects);
  const names = ["log_file", "object_cache_file", "status_file", "command_file", "lock_file", "temp_file"];
  const settings = {
    ...Object.fromEntries([...names, "state_retention_file", "query_socket"].map((name) => [name, at(name)])),
    ...{ cfg_file: at("objects.cfg"), check_result_path: at("checkresults"), temp_path: folder },
    ...{ nagios_user: user, nagios_group: group, check_external_commands: 1, status_update_interval: 1 },
    ...{ check_result_reaper_frequency: 1, passive_host_checks_are_soft: 1, translate_passive_host_checks: 1 },
    ...{ execute_service_checks: 0, execute_host_checks: 0, enable_flap_detection: 0, use_syslog: 0 },
    ...{ check_for_orphaned_services: 0, check_for_orphaned_hosts: 0, check_service_freshness: 0 },
    ...options,
  };
  const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
  writeFileSync(at("nagios.cfg"), lines.join(""));
  const daemon = startDaemon(scope, "nagios4", [at("nagios.cfg")]);
  await until("the command file of Nagios", async () => {
    daemon.assertRuns();
    return existsSync(at("command_file")) && existsSync(at("status_file"));
  });
  let sent = 0;
  return {
    mainFile: at("nagios.cfg"),
    statusFile: at("status_file"),
    logFile: at("log_file"),
    async send(results) {
      const lines = results.map(({ ref, code }) => {
        const [host, service] = ref.split("!");
        const name = service === undefined ? "PROCESS_HOST_CHECK_RESULT" : "PROCESS_SERVICE_CHECK_RESULT";
        const object = service === undefined ? host : `${host};${service}`;
        sent += 1;
        return `[${Math.floor(Date.now() / 1_000)}] ${name};${object};${code};result ${sent}.\n`;
      });
      // A pipe takes whole pieces of 4 096 bytes only.
      for (const line of lines) appendFileSync(at("command_file"), line);
      const last = lines.map((line) => /result \d+\./.exec(line)?.[0] ?? "");
      await until("the results in the status file", async () => {
        daemon.assertRuns();
        const text = readFileSync(at("status_file"), "utf8");
        return last.every((each) => text.includes(each));
      });
    },
  };
}
