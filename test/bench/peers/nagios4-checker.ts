import { userInfo } from "node:os";
import { countResults, type PeerChecker, resultLine } from "./peer-checker.ts";

const services = 6_000;

/** Nagios 4 with every service due each second. It writes a line for each result, which is counted. */
export const nagios4Checker: PeerChecker = {
  name: "Nagios 4",
  program: "nagios4",
  argumentsFor: (folder) => [`${folder}/nagios.cfg`],
  write: (plugin, folder) => ({
    "objects.cfg": objectsOf(plugin),
    "nagios.cfg": `cfg_file=${folder}/objects.cfg
nagios_user=${userInfo().username}
log_file=${folder}/nagios.log
command_file=${folder}/nagios.cmd
query_socket=${folder}/nagios.qh
lock_file=${folder}/nagios.lock
object_cache_file=${folder}/objects.cache
status_file=${folder}/status.dat
status_update_interval=30
temp_file=${folder}/nagios.tmp
temp_path=${folder}
check_result_path=${folder}
state_retention_file=${folder}/retention.dat
interval_length=1
max_concurrent_checks=0
use_large_installation_tweaks=1
enable_environment_macros=0
enable_flap_detection=0
enable_notifications=0
service_inter_check_delay_method=n
process_performance_data=1
service_perfdata_file=${folder}/results
service_perfdata_file_template=${resultLine}
service_perfdata_file_mode=a
`,
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
