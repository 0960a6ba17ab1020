import { join } from "node:path";
import type { TestContext } from "node:test";
import { type Imported, runImport, type SourceFiles, writeSources } from "../import/import-run.fixture.ts";
import { importNagiosSubCommand } from "../import-nagios.ts";

/** Two hosts, two contacts, their commands, a timeperiod and a group, as a file of Nagios. */
export const nagiosBase = `
define command {
  command_name check_ping
  command_line $USER1$/check_ping -H $HOSTADDRESS$ -w $ARG1$ -c $ARG2$
}
define command{
  command_name mail
  command_line /usr/bin/printf "%b" "$NOTIFICATIONTYPE$" | /usr/bin/mail -s x $CONTACTEMAIL$ ; a comment
}
define command{
  command_name page
  command_line /opt/page \\
    $ARG1$
}
define timeperiod{
  timeperiod_name always
  monday 00:00-24:00
  day 1 - 5 10:00-12:00, 13:00-14:00
  monday 3 july 00:00-00:00
}
define contact{
  contact_name ann
  email ann@example.org
  host_notification_options d,u,r,f,s
  service_notification_options w,u,c,r,f,s
  service_notification_period always
  service_notification_commands mail
  contactgroups admins
}
define contact{
  contact_name bob
  host_notification_options d,u,r,f,s
  service_notification_options w,u,c,r,f,s
  service_notification_commands page!bob
}
define contactgroup{
  contactgroup_name admins
}
define host{
  name generic
  check_command check_ping!100,20%!500,60%
  check_interval 5
  retry_interval 1
  max_check_attempts 4
  contact_groups admins
  notification_interval 30
  register 0
}
define host{
  use generic
  host_name gw
  address 192.0.2.1
}
define host{
  use generic
  host_name web1
  parents gw
  contacts +bob
  hostgroups web
  _rack R7
}
define hostgroup{
  hostgroup_name web
  alias Web servers
}
`;

/** Writes files beside a main file. */
export const writeNagiosSite = (t: TestContext, files: SourceFiles): string =>
  writeSources(t, {
    "nagios.cfg": "cfg_dir=objects\nresource_file=resource.cfg\n",
    "resource.cfg": "$USER1$=/usr/lib/plugins\n",
    ...files,
  });

/** Imports files beside a main file that names the folder `objects`. */
export async function importNagiosFiles(
  t: TestContext,
  files: SourceFiles,
  flags: readonly string[] = [],
): Promise<Imported> {
  const folder = writeNagiosSite(t, files);
  return runImport(importNagiosSubCommand, folder, [join(folder, "nagios.cfg"), ...flags]);
}

/** Findings other than plain conversions, as `kind name: outcome: why`, without the differences by design. */
export const nagiosRemarks = ({ items }: Imported): readonly string[] =>
  items
    .filter(({ outcome, kind }) => outcome !== "converted" && kind !== "design")
    .map(({ kind, name, outcome, why }) => `${kind} ${name}: ${outcome}: ${why}`);
