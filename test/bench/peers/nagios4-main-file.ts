import { userInfo } from "node:os";

/** Main file of a Nagios 4 that reads `objects.cfg` and keeps all of its files in one folder. `more`: further lines. */
export const nagiosMainFile = (folder: string, more: string): string => `cfg_file=${folder}/objects.cfg
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
use_large_installation_tweaks=1
enable_flap_detection=0
enable_notifications=0
${more}
`;
