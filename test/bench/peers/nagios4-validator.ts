import { nagiosMainFile } from "./nagios4-main-file.ts";
import type { ConfigurationSize, PeerValidator } from "./peer-validator.ts";

/** Configuration of Nagios with the same hosts, services and parents, every object written out. */
function objectsOf({ hosts, servicesPerHost }: ConfigurationSize): string {
  const lines = [head];
  for (let i = 0; i < hosts; i += 1) {
    const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    lines.push(
      `define host {
  host_name host-${i}
  address ${address}
${i >= 50 ? `  parents host-${i % 50}\n` : ""}  check_command ping
  max_check_attempts 3
  check_period always
  contacts ops
  notification_period always
}`,
    );
    for (let k = 0; k < servicesPerHost; k += 1)
      lines.push(
        `define service {
  host_name host-${i}
  service_description service-${k}
  check_command tcp!${2000 + k}
  check_interval ${1 + (k % 3)}
  max_check_attempts 3
  check_period always
  contacts ops
  notification_period always
}`,
      );
  }
  return lines.join("\n");
}

const head = `define command {
  command_name ping
  command_line /usr/lib/nagios/plugins/check_ping -H $HOSTADDRESS$
}
define command {
  command_name tcp
  command_line /usr/lib/nagios/plugins/check_tcp -H $HOSTADDRESS$ -p $ARG1$
}
define command {
  command_name mail
  command_line /usr/bin/mail $CONTACTEMAIL$
}
define timeperiod {
  timeperiod_name always
  alias always
  monday 00:00-24:00
  tuesday 00:00-24:00
}
define contact {
  contact_name ops
  email ops@example.org
  host_notification_period always
  service_notification_period always
  host_notification_commands mail
  service_notification_commands mail
}`;

/** Nagios 4 as validator of a configuration. */
export const nagios4Validator: PeerValidator = {
  program: "nagios4",
  name: "nagios4 -v",
  write: (size, folder) => ({
    "objects.cfg": objectsOf(size),
    "nagios.cfg": nagiosMainFile(folder, "illegal_macro_output_chars=`~$&|'\"<>"),
  }),
  argumentsFor: (folder) => ["-v", `${folder}/nagios.cfg`],
};
