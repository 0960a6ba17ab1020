import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { importIcinga2SubCommand } from "../import-icinga2.ts";
import { type Imported, runImport, type SourceFiles, writeSources } from "./import-run.fixture.ts";

const main = `
/* The main file of a small site. */
include "constants.conf"
include <itl>
include <plugins>
include "features-enabled/*.conf"
include_recursive "conf.d"
`;

const templates = `
template Host "generic-host" {
  max_check_attempts = 3
  check_interval = 1m
  retry_interval = 30s
  check_command = "hostalive"
}
template Service "generic-service" {
  max_check_attempts = 5
  check_interval = 1m
  retry_interval = 30s
}
template User "generic-user" {
}
template Notification "mail-host" {
  command = "mail-host-notification"
  states = [ Up, Down ]
  types = [ Problem, Acknowledgement, Recovery, Custom,
            FlappingStart, FlappingEnd,
            DowntimeStart, DowntimeEnd, DowntimeRemoved ]
  period = "24x7"
}
template Notification "mail-service" {
  import "mail-host"
  command = "mail-service-notification"
  states = [ OK, Warning, Critical, Unknown ]
}
`;

const commands = `
object NotificationCommand "mail-host-notification" {
  command = [ ConfigDir + "/scripts/mail-host-notification.sh" ]
  arguments += {
    "-4" = "$notification_address$"
    "-n" = { required = true, value = "$host.name$" }
  }
  vars.notification_address = "$address$"
}
object NotificationCommand "mail-service-notification" {
  command = [ ConfigDir + "/scripts/mail-service-notification.sh" ]
}
object NotificationCommand "page" {
  command = [ "/opt/page" ]
  env = { WHAT = "$host.name$ $service.name$" }
  arguments = {
    "--to" = "$user.pager$"
    "--text" = "$service.output$"
    "--late" = { set_if = "$page_late$" }
  }
}
object CheckCommand "own" {
  import "plugin-check-command"
  command = [ PluginDir + "/check_own", "--fast" ]
  timeout = 20s
  arguments = {
    "--zone" = { value = "$own_zones$", repeat_key = false }
    "-H" = { value = "$own_address$", required = true, order = -1 }
    "-v" = { set_if = "$own_verbose$" }
    "last" = { value = "$own_last$", skip_key = true, order = 9 }
  }
  vars.own_address = "$address$"
}
object CheckCommand "alive-4" {
  import "hostalive4"
  vars.ping_wrta = 900
}
`;

const timeperiods = `
object TimePeriod "24x7" {
  display_name = "Always"
  ranges = {
    "monday" = "00:00-24:00"
    "day 1 - 5" = "10:00-12:00, 13:00-14:00"
  }
}
object TimePeriod "night" {
  ranges = { monday = "22:00-24:00" }
  excludes = [ "24x7" ]
}
`;

const users = `
object User "ann" {
  import "generic-user"
  display_name = "Ann"
  groups = [ "admins" ]
  email = "ann@example.org"
}
object User "bob" {
  import "generic-user"
  pager = "555-1234"
  period = "24x7"
}
object UserGroup "admins" {
  display_name = "Administrators"
}
`;

const hosts = `
object Host NodeName {
  import "generic-host"
  address = "127.0.0.1"
  address6 = "::1"
  vars.os = "Linux"
  vars.http_vhosts["http"] = {
    http_uri = "/"
  }
  vars.disks["disk"] = {
    /* all */
  }
  vars.disks["disk /"] = {
    disk_partitions = "/"
  }
  vars.notification["mail"] = {
    groups = [ "admins" ]
  }
}
object Host "gw" {
  import "generic-host"
  address = "192.0.2.1"
  groups += [ "routers" ]
}
object HostGroup "linux" {
  display_name = "Linux servers"
  assign where host.vars.os == "Linux"
}
object HostGroup "routers" { display_name = "Routers" }
object ServiceGroup "ping" {
  assign where match("ping*", service.name)
}
`;

const services = `
apply Service "ping4" {
  import "generic-service"
  check_command = "ping4"
  assign where host.address
  ignore where "routers" in host.groups && host.name != "gw"
}
apply Service "ssh" {
  import "generic-service"
  check_command = "ssh"
  assign where (host.address || host.address6) && host.vars.os == "Linux"
}
apply Service "alive" {
  check_command = "alive-4"
  check_period = "night"
  assign where host.name == "gw"
}
apply Service for (http_vhost => config in host.vars.http_vhosts) {
  import "generic-service"
  check_command = "http"
  vars += config
}
apply Service for (disk => config in host.vars.disks) {
  import "generic-service"
  check_command = "disk"
  vars += config
}
apply Service "own-" for (what in [ "a" ]) {
  import "generic-service"
  check_command = "own"
  vars.own_zones = [ "x", "y z" ]
  vars.own_verbose = true
  vars.own_last = what
  if (host.vars.os == "Linux") {
    check_interval = 5 * 60
  } else {
    check_interval = 1h
  }
  assign where "linux" in host.groups
}
`;

const notifications = `
apply Notification "mail-icingaadmin" to Host {
  import "mail-host"
  user_groups = host.vars.notification.mail.groups
  assign where host.vars.notification.mail
}
apply Notification "mail-icingaadmin" to Service {
  import "mail-service"
  user_groups = host.vars.notification.mail.groups
  interval = 10m
  assign where host.vars.notification.mail
}
apply Notification "page-late" to Service {
  import "mail-service"
  command = "page"
  users = [ "bob" ]
  interval = 15m
  times = { begin = 30m }
  assign where service.name == "ssh"
}
`;

/** A small site, as files of Icinga 2. */
export const icingaSample = {
  "icinga2.conf": main,
  "constants.conf": 'const PluginDir = "/usr/lib/monitoring-plugins"\nconst NodeName = "monitor"\n',
  "features-enabled/checker.conf": 'object CheckerComponent "checker" { }\n',
  "conf.d/templates.conf": templates,
  "conf.d/commands.conf": commands,
  "conf.d/timeperiods.conf": timeperiods,
  "conf.d/users.conf": users,
  "conf.d/hosts.conf": hosts,
  "conf.d/services.conf": services,
  "conf.d/notifications.conf": notifications,
};

/** Imports what the arguments name; the document has one blank instead of each stretch of them. */
export async function importIcinga(folder: string, args: readonly string[]): Promise<Imported> {
  const imported = await runImport(importIcinga2SubCommand, folder, args);
  return { ...imported, cue: imported.cue.replaceAll(/\s+/g, " ") };
}

/** Imports a folder of files. */
export async function importIcingaFiles(
  t: TestContext,
  files: SourceFiles,
  flags: readonly string[] = [],
): Promise<Imported> {
  const folder = writeSources(t, files);
  return importIcinga(folder, [folder, ...flags]);
}

/** Findings with their places, as `file:line kind name: outcome: why`, without the differences by design. */
export const importRemarks = ({ items }: Imported): readonly string[] =>
  items
    .filter(({ outcome, kind }) => outcome !== "converted" && kind !== "design")
    .map(({ source, kind, name, outcome, why }) => {
      const file = source.file.replace(/^.*import-[^/]*\//, "");
      return `${file}:${source.line} ${kind} ${name}: ${outcome}: ${why}`;
    });

/** Asserts that a document has each of some parts. */
export const assertDocumentHas = (imported: Imported, parts: readonly string[]): void => {
  for (const part of parts) assert.ok(imported.cue.includes(part), `${part}\n\n${imported.cue}`);
};

/** The small site, with more objects in a file of their own. */
export const icingaSite = (more: string): SourceFiles => ({ ...icingaSample, "conf.d/zz-more.conf": more });
