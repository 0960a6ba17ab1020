import { hosts, parentsOf, servicesOfHost } from "./random-site.fixture.ts";
import { definition } from "./running-nagios.fixture.ts";

/**
 * The random site as Nagios has it, with an escalation of a third of the services.
 *
 * @param interval time between two notifications of a problem, in units of `interval_length`; half of it once it is escalated
 */
export function nagiosSite(interval: number): string {
  const checked = {
    ...{ check_command: "none", active_checks_enabled: 0, passive_checks_enabled: 1, check_period: "always" },
    ...{ contacts: "ops", notification_period: "always", notification_interval: interval, flap_detection_enabled: 0 },
  };
  const days = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
  const always = Object.fromEntries(days.map((day) => [day, "00:00-24:00"]));
  const objects = [
    definition("command", { command_name: "none", command_line: "/bin/true" }),
    definition("timeperiod", { timeperiod_name: "always", alias: "always", ...always }),
    definition("contact", {
      ...{ contact_name: "ops", host_notification_period: "always", service_notification_period: "always" },
      ...{ host_notification_options: "d,u,r", service_notification_options: "w,u,c,r" },
      ...{ host_notification_commands: "none", service_notification_commands: "none" },
    }),
    definition("serviceescalation", {
      ...{ host_name: "*", service_description: "s0", contacts: "ops", notification_interval: interval / 2 },
      ...{ first_notification: 2, last_notification: 0 },
    }),
  ];
  for (let at = 0; at < hosts; at += 1) {
    const parents = parentsOf(at).join(",");
    const host = { host_name: `h${at}`, address: "127.0.0.1", max_check_attempts: 1 + (at % 4) };
    objects.push(definition("host", { ...host, ...checked, ...(parents !== "" && { parents }) }));
    for (let service = 0; service < servicesOfHost; service += 1) {
      const service_description = `s${service}`;
      const max_check_attempts = 1 + ((at + service) % 4);
      objects.push(definition("service", { host_name: `h${at}`, service_description, max_check_attempts, ...checked }));
    }
  }
  return objects.join("");
}
