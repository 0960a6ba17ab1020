import { nagiosMainFile } from "./nagios4-main-file.ts";
import { countResults, type PeerChecker, resultLine } from "./peer-checker.ts";

const services = 6_000;

/** Nagios 4 with every service due each second. It writes a line for each result, which is counted. */
export const nagios4Checker: PeerChecker = {
  name: "Nagios 4",
  program: "nagios4",
  argumentsFor: (folder) => [`${folder}/nagios.cfg`],
  write: (plugin, folder) => ({
    "objects.cfg": objectsOf(plugin),
    "nagios.cfg": nagiosMainFile(
      folder,
      `interval_length=1
max_concurrent_checks=0
enable_environment_macros=0
service_inter_check_delay_method=n
process_performance_data=1
service_perfdata_file=${folder}/results
service_perfdata_file_template=${resultLine}
service_perfdata_file_mode=a`,
    ),
  }),
  count: (folder) => countResults(folder, "results"),
};

function objectsOf(plugin: readonly string[]): string {
  const host = `define host {
  host_name host
  max_check_attempts 1
  active_checks_enabled 0
}`;
  const command = `define command {
  command_name plugin
  command_line ${plugin.join(" ")}
}`;
  const contact = `define contact {
  contact_name ops
  host_notifications_enabled 0
  service_notifications_enabled 0
  host_notification_commands plugin
  service_notification_commands plugin
}`;
  const objects = Array.from(
    { length: services },
    (_, i) => `define service {
  host_name host
  service_description service-${i}
  check_command plugin
  check_interval 1
  retry_interval 1
  max_check_attempts 1
}`,
  );
  return [host, command, contact, ...objects].join("\n");
}
