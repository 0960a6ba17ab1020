import { execFileSync } from "node:child_process";
import { userInfo } from "node:os";
import { countResults, type PeerChecker, resultLine } from "./peer-checker.ts";

const services = 6_000;
const folders = ["CacheDir", "DataDir", "LogDir", "SpoolDir", "InitRunDir"];

/** Arguments of an Icinga 2 that has its configuration and all its data in `folder`. */
export const icinga2Arguments = (folder: string, logLevel = "warning"): readonly string[] => [
  "daemon",
  ...["-x", logLevel, "-c", `${folder}/icinga2.conf`],
  ...folders.map((name) => `-DConfiguration.${name}=${folder}`),
  `-DConfiguration.PidPath=${folder}/pid`,
  // The user of the benchmark, because it may not be able to change the user.
  `-DConfiguration.RunAsUser=${userInfo().username}`,
  `-DConfiguration.RunAsGroup=${execFileSync("id", ["-gn"], { encoding: "utf8" }).trim()}`,
];

/** Icinga 2 with every service due each second. It writes a line for each result, which is counted. */
export const icinga2Checker: PeerChecker = {
  name: "Icinga 2",
  program: "icinga2",
  argumentsFor: (folder) => icinga2Arguments(folder),
  write: (plugin, folder) => ({
    "icinga2.conf": `object CheckerComponent "checker" {}
object IcingaApplication "app" { enable_notifications = false, enable_flapping = false }
object PerfdataWriter "results" {
  service_temp_path = "${folder}/results"
  host_temp_path = "${folder}/hosts"
  service_perfdata_path = "${folder}/results-done"
  host_perfdata_path = "${folder}/hosts-done"
  service_format_template = "${resultLine}"
  rotation_interval = 1h
}
object CheckCommand "plugin" { command = ${JSON.stringify(plugin)} }
object Host "host" { check_command = "plugin", enable_active_checks = false }
for (i in range(${services})) {
  object Service "service-" + i use (i) {
    host_name = "host"
    check_command = "plugin"
    check_interval = 1s
    retry_interval = 1s
    max_check_attempts = 1
  }
}
`,
  }),
  count: (folder) => countResults(folder, "results"),
};
