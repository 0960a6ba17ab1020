import type { ConfigurationSize, PeerValidator } from "./peer-validator.ts";

/** Configuration of Icinga 2 with the same hosts, services and parents, every object written out. */
function configOf({ hosts, servicesPerHost }: ConfigurationSize): string {
  const lines = [head];
  for (let i = 0; i < hosts; i += 1) {
    const address = `10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}`;
    lines.push(
      `object Host "host-${i}" {
  address = "${address}"
  check_command = "ping"
  check_interval = 1m
  vars.tier = "${["web", "db", "cache"][i % 3]}"
  vars.rack = "r${i % 40}"
}`,
    );
    if (i >= 50)
      lines.push(
        `object Dependency "parent" {
  parent_host_name = "host-${i % 50}"
  child_host_name = "host-${i}"
}`,
      );
    for (let k = 0; k < servicesPerHost; k += 1)
      lines.push(
        `object Service "service-${k}" {
  host_name = "host-${i}"
  check_command = "tcp"
  check_interval = ${["30s", "1m", "5m"][k % 3]}
  check_period = "always"
  vars.address = "${address}"
  vars.port = ${2000 + k}
}`,
      );
  }
  return lines.join("\n");
}

const head = `object CheckCommand "ping" { command = ["/usr/lib/nagios/plugins/check_ping"] }
object CheckCommand "tcp" {
  command = ["/usr/lib/nagios/plugins/check_tcp"]
  arguments = { "-H" = "$address$", "-p" = "$port$" }
}
object TimePeriod "always" { ranges = { "monday" = "00:00-24:00", "tuesday" = "00:00-24:00" } }
object User "ops" { email = "ops@example.org" }`;

/** Icinga 2 as validator of a configuration. */
export const icinga2Validator: PeerValidator = {
  program: "icinga2",
  name: "icinga2 daemon -C",
  write: (size) => ({ "icinga2.conf": configOf(size) }),
  argumentsFor: (folder) => ["daemon", "-C", "-c", `${folder}/icinga2.conf`, `-DConfiguration.CacheDir=${folder}`],
};

/** Configuration of Icinga 2 with templates of hosts and services, which rules apply to all hosts. */
function templatesOf({ hosts, servicesPerHost }: ConfigurationSize): string {
  const lines = [
    head,
    `template Host "server" {
  check_command = "ping"
  check_interval = 1m
  vars.role = "server"
}
template Service "service" { check_period = "always" }`,
  ];
  for (let k = 0; k < servicesPerHost; k += 1)
    lines.push(
      `apply Service "service-${k}" {
  import "service"
  check_command = "tcp"
  check_interval = ${["30s", "1m", "5m"][k % 3]}
  vars.address = host.address
  vars.port = ${2000 + k}
  assign where host.vars.role == "server"
}`,
    );
  for (let i = 0; i < hosts; i += 1)
    lines.push(
      `object Host "host-${i}" {
  import "server"
  address = "10.${(i >> 16) & 255}.${(i >> 8) & 255}.${i & 255}"
  vars.tier = "${["web", "db", "cache"][i % 3]}"
  vars.rack = "r${i % 40}"
}`,
    );
  return lines.join("\n");
}

/** Icinga 2 as validator of a configuration of templates. */
export const icinga2TemplateValidator: PeerValidator = {
  ...icinga2Validator,
  name: "icinga2 daemon -C, templates and apply rules",
  write: (size) => ({ "icinga2.conf": templatesOf(size) }),
};
