import assert from "node:assert/strict";
import { test } from "node:test";
import {
  assertDocumentHas,
  icingaSample,
  icingaSite,
  importIcingaFiles,
  importRemarks,
} from "./import/icinga-sources.fixture.ts";
import { importIcinga2SubCommand } from "./import-icinga2.ts";
import { runSubCommand } from "./run-sub-command.fixture.ts";

test("[IM10] a configuration tree becomes a document: templates, apply rules and loops are applied", async (t) => {
  const imported = await importIcingaFiles(t, icingaSample);
  assert.deepEqual(
    [imported.code, ...importRemarks(imported)],
    [
      0,
      "conf.d/commands.conf:2 NotificationCommand mail-host-notification: approximated: mails have Realmwatch's own text instead of the one of the command",
      "conf.d/commands.conf:10 NotificationCommand mail-service-notification: approximated: mails have Realmwatch's own text instead of the one of the command",
      "conf.d/hosts.conf:7 Host monitor: approximated: vars.http_vhosts is kept as JSON text",
      "conf.d/hosts.conf:10 Host monitor: approximated: vars.disks is kept as JSON text",
      "conf.d/hosts.conf:16 Host monitor: approximated: vars.notification is kept as JSON text",
      "conf.d/notifications.conf:17 Notification monitor!ssh!page-late: approximated: it shares a level with others: it is repeated every 10m",
      "conf.d/services.conf:31 Service monitor!own-a: approximated: vars.own_zones is kept as a text with commas",
    ],
  );
  assertDocumentHas(imported, [
    'USER1: "/usr/lib/monitoring-plugins"',
    '"24x7": { ranges: { monday: "00:00-24:00" "day 1 - 5": "10:00-12:00,13:00-14:00" } }',
    'night: { ranges: { monday: "22:00-24:00" } exclude: ["24x7"] }',
    'monitor: { address: "127.0.0.1" labels: { "hostgroup.linux": "yes" } vars: { ADDRESS6: "::1" OS: "Linux"',
    'check: { type: "icmp" host: "127.0.0.1" check_interval: "1m" retry_interval: "30s" max_attempts: 3',
    'ping4: { labels: { "servicegroup.ping": "yes" } notification:',
    'check: { type: "http" url: "http://127.0.0.1/" check_interval: "1m" retry_interval: "30s" max_attempts: 5',
    '"disk /": { vars: { DISK_PARTITIONS: "/" }',
    '"own-a": { vars:',
    'check_interval: "5m"',
    'linux: { selector: "hostgroup.linux" description: "Linux servers" }',
  ]);
});

test("[IM11] commands have the arguments that apply, in their order", async (t) => {
  const imported = await importIcingaFiles(t, icingaSample);
  assertDocumentHas(imported, [
    'ping4: { line: "$USER1$/check_ping -H $ARG1$ -w 100,5% -c 200,15% -4" }',
    'own: { line: "$USER1$/check_own --fast -H $ARG1$ --zone $ARG2$ $ARG3$ -v $ARG4$" }',
    '"alive-4": { line: "$USER1$/check_ping -H $ARG1$ -w 900,80% -c 5000,100% -4" }',
    'command: "own" args: ["127.0.0.1", "x", "y z", "a"]',
    "page: { line: \"/usr/bin/env 'WHAT=$HOSTNAME$ $SERVICEDESC$' /opt/page --text $SERVICEOUTPUT$ --to $ARG1$\" }",
    'bob: { type: "command" command: "page" args: ["555-1234"] notification_period: "24x7" }',
    'ann: { type: "email" address: "ann@example.org" }',
  ]);
});

const various = `
template Service "each" default { max_check_attempts = 7 }
object Host "v" { check_command = "hostalive"; address = "192.0.2.5" }
object TimePeriod "both" { ranges = { monday = "09:00-10:00" }; includes = [ "day" ] }
object TimePeriod "day" { ranges = { monday = "12:00-13:00", friday = "09:00-17:00" } }
object EventCommand "restart" {
  command = [ "/opt/restart" ]
  arguments = { "--state" = { value = "$service.state$", separator = "=" }, "x" = { key = "-x", value = "$what$" } }
}
apply Service "port" { check_command = "tcp"; vars.tcp_port = 25; assign where true }
apply Service "name" { check_command = "dns"; vars.dns_server = "192.0.2.53"; vars.dns_lookup = "a.example.org"; assign where true }
apply Service "oid" {
  check_command = "snmp"
  event_command = "restart"
  vars.what = "now"
  vars += { snmp_oid = ".1.3.6", snmp_version = "2c", snmp_warn = 5 }
  assign where true
}
apply Service "remote" {
  check_command = "nrpe"
  check_period = "both"
  vars.nrpe_command = "check_x"
  vars.nrpe_arguments = [ "1", "2" ]
  assign where true
}
`;

test("[IM11] own checks, handlers and periods take over what they can express", async (t) => {
  const zone = { "icinga2.conf": "include <itl>\n", "zones.d/master/all.conf": various };
  const imported = await importIcingaFiles(t, zone);
  assert.equal(imported.code, 0, imported.lines.join("\n"));
  assertDocumentHas(imported, [
    'both: { ranges: { monday: "09:00-10:00,12:00-13:00" friday: "09:00-17:00" } }',
    'check: { type: "tcp" address: "192.0.2.5:25" check_interval: "5m" retry_interval: "1m" max_attempts: 7',
    'check: { type: "dns" server: "192.0.2.53:53" name: "a.example.org"',
    'check: { type: "snmp" address: "192.0.2.5:161" oid: ".1.3.6" community: "public" warn: "5"',
    'restart: { line: "/opt/restart --state=$SERVICESTATE$ -x $ARG1$" }',
    'handlers: { restart: { type: "command" command: "restart" args: ["now"] } }',
    'nrpe: { line: "$USER1$/check_nrpe -H $ARG1$ -c $ARG2$ -a $ARG3$ $ARG4$" }',
  ]);
});

test("[IM12] times of notifications become levels that begin after as many notifications", async (t) => {
  const imported = await importIcingaFiles(t, icingaSample);
  assertDocumentHas(imported, [
    '{ contacts: ["ann"] threshold: 3 renotify_interval: "10m" period: "24x7" }, ' +
      '{ contacts: ["ann", "bob"] renotify_interval: "10m" period: "24x7" }',
  ]);
});

test("[IM30] states of users are their statuses, and those of notifications too", async (t) => {
  const more = `
object User "eve" {
  states = [ Up, Down, OK, Critical ]
  pager = "5"
}
apply Notification "three" to Host {
  command = "page"
  users = [ "bob", "eve" ]
  assign where host.name == "gw"
}
apply Notification "three" to Service {
  command = "page"
  users = [ "bob", "eve" ]
  states = [ OK, Warning, Critical ]
  interval = 20m
  assign where service.name == "alive"
}
`;
  const imported = await importIcingaFiles(t, icingaSite(more));
  assertDocumentHas(imported, [
    '{ contacts: ["bob", "eve"] renotify_interval: "30m" }',
    '{ contacts: ["bob", "eve-critical-unreachable"] renotify_interval: "20m" statuses: ["WARNING", "CRITICAL", "UNREACHABLE"] }',
    'args: ["5"] statuses: ["CRITICAL", "UNREACHABLE"] }',
  ]);
});

test("[IM12] types that no notification of a level has are disabled, and statuses that none has; intervals are reported", async (t) => {
  const more = `
apply Notification "problems" to Host {
  command = "page"
  users = [ "bob" ]
  types = [ Problem, Recovery ]
  states = [ Up ]
  times = { begin = 5m, end = 20m }
  interval = 0
  assign where host.name == "gw"
}
`;
  const imported = await importIcingaFiles(t, icingaSite(more));
  assert.equal(imported.code, 0);
  assertDocumentHas(imported, [
    '{ contacts: ["bob"] renotify_interval: "0s" disabled_kinds: ["DOWNTIME_START", "DOWNTIME_END", ' +
      '"DOWNTIME_CANCELLED", "CUSTOM", "ACKNOWLEDGEMENT", "FLAPPING_START", "FLAPPING_STOP"] statuses: ["WARNING", "UNKNOWN", "UNREACHABLE"] }',
  ]);
  assert.deepEqual(
    importRemarks(imported).filter((line) => line.startsWith("conf.d/zz")),
    [
      "conf.d/zz-more.conf:7 Notification gw!problems: approximated: the first notification is not delayed: raise max_check_attempts instead",
      "conf.d/zz-more.conf:7 Notification gw!problems: approximated: the last level goes on: notifications do not end while the problem lasts",
    ],
  );
});

test("[IM14] dependencies of hosts become parents, others suppress notifications; downtimes have a period", async (t) => {
  const more = `
const R1 = "r1"
object Host R1 { check_command = "hostalive"; display_name = Undeclared }
object Host "r2" { check_command = "hostalive" }
object Host "db" { check_command = "hostalive"; address = "192.0.2.7" }
apply Dependency "uplink" to Host {
  parent_host_name = "gw"
  assign where match("r*", host.name)
}
object Dependency "via-1" { parent_host_name = "r1"; child_host_name = "db"; redundancy_group = "uplinks" }
object Dependency "via-2" { parent_host_name = "r2"; child_host_name = "db"; redundancy_group = "uplinks" }
apply Dependency "ssh-first" to Service {
  parent_service_name = "ssh"
  states = [ OK ]
  period = "24x7"
  disable_checks = true
  assign where service.name == "disk"
}
apply ScheduledDowntime "backup" to Service {
  author = "ann"
  comment = "Backups run"
  ranges = { "monday" = "02:00-03:00" }
  assign where match("disk*", service.name)
}
`;
  const imported = await importIcingaFiles(t, icingaSite(more));
  assert.equal(imported.code, 3);
  assertDocumentHas(imported, [
    'r1: { address: "r1" parents: ["gw"] check:',
    'parents: ["gw"]',
    'parents: ["r1", "r2"]',
    '"monitor!disk on monitor!ssh": { dependents: [ { ref: "monitor!disk" }, ] on: { ref: "monitor!ssh" } ' +
      'fails_on: ["warning", "critical", "unknown"] period: "24x7" }',
    'backup: { selector: "downtime.backup" scope: "service" period: "downtime-backup" comment: "Backups run" }',
    '"downtime-backup": { ranges: { monday: "02:00-03:00" } }',
    '"downtime.backup": "yes"',
  ]);
  assert.deepEqual(
    importRemarks(imported).filter((line) => line.includes("unsupported")),
    [
      "conf.d/zz-more.conf:3 Host r1: unsupported: display_name is left out: the variable Undeclared is not declared",
      "conf.d/zz-more.conf:16 Dependency monitor!disk!ssh-first: unsupported: a dependency suppresses notifications only; checks go on",
    ],
  );
});

const refusals: readonly [what: string, args: readonly string[], message: RegExp][] = [
  ["neither a folder nor a list", [], /give either DIR_OR_FILE or -objects FILE$/],
  ["both a folder and a list", [".", "-objects", "x"], /give either DIR_OR_FILE or -objects FILE$/],
];
for (const [what, args, message] of refusals)
  test(`[IM16] an import of Icinga 2 with ${what} is refused with code 2`, async () => {
    const { code, stderr } = await runSubCommand(importIcinga2SubCommand, [...args, "-out", "/nowhere/x.cue"]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
