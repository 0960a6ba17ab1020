import assert from "node:assert/strict";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { importIcinga2SubCommand } from "./import-icinga2.ts";
import { type Imported, runImport, type SourceFiles, writeSources } from "./nagios/import-run.fixture.ts";
import { runSubCommand } from "./run-sub-command.fixture.ts";

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

const sample = {
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
async function importWith(folder: string, args: readonly string[]): Promise<Imported> {
  const imported = await runImport(importIcinga2SubCommand, folder, args);
  return { ...imported, cue: imported.cue.replaceAll(/\s+/g, " ") };
}

async function importFiles(t: TestContext, files: SourceFiles, flags: readonly string[] = []): Promise<Imported> {
  const folder = writeSources(t, files);
  return importWith(folder, [folder, ...flags]);
}

/** Findings with their places, as `file:line kind name: outcome: why`. */
const remarksOf = ({ items }: Imported): readonly string[] =>
  items
    .filter(({ outcome }) => outcome !== "converted")
    .map(({ source, kind, name, outcome, why }) => {
      const file = source.file.replace(/^.*import-[^/]*\//, "");
      return `${file}:${source.line} ${kind} ${name}: ${outcome}: ${why}`;
    });

const includes = (imported: Imported, parts: readonly string[]): void => {
  for (const part of parts) assert.ok(imported.cue.includes(part), `${part}\n\n${imported.cue}`);
};

test("[IM10] a configuration tree becomes a document: templates, apply rules and loops are applied", async (t) => {
  const imported = await importFiles(t, sample);
  assert.deepEqual(
    [imported.code, ...remarksOf(imported)],
    [
      0,
      "conf.d/commands.conf:2 NotificationCommand mail-host-notification: approximated: mails have Realmwatch's own text instead of the one of the command",
      "conf.d/commands.conf:10 NotificationCommand mail-service-notification: approximated: mails have Realmwatch's own text instead of the one of the command",
      "conf.d/hosts.conf:7 Host monitor: approximated: vars.http_vhosts is kept as JSON text",
      "conf.d/hosts.conf:10 Host monitor: approximated: vars.disks is kept as JSON text",
      "conf.d/hosts.conf:16 Host monitor: approximated: vars.notification is kept as JSON text",
      "conf.d/notifications.conf:17 Notification monitor!ssh!page-late: approximated: it shares a level with others: it is repeated every 10m",
      "conf.d/services.conf:30 Service monitor!own-a: approximated: vars.own_zones is kept as a text with commas",
    ],
  );
  includes(imported, [
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
  const imported = await importFiles(t, sample);
  includes(imported, [
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
  vars.nrpe_command = "check_x"
  vars.nrpe_arguments = [ "1", "2" ]
  assign where true
}
`;

test("[IM11] own checks, handlers and periods take over what they can express", async (t) => {
  const zone = { "icinga2.conf": "include <itl>\n", "zones.d/master/all.conf": various };
  const imported = await importFiles(t, zone);
  assert.equal(imported.code, 0, imported.lines.join("\n"));
  includes(imported, [
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
  const imported = await importFiles(t, sample);
  includes(imported, [
    '{ contacts: ["ann"] threshold: 3 renotify_interval: "10m" period: "24x7" }, ' +
      '{ contacts: ["ann", "bob"] renotify_interval: "10m" period: "24x7" }',
  ]);
});

/** Site with services, and with more in a file of its own. */
const site = (more: string): SourceFiles => ({ ...sample, "conf.d/zz-more.conf": more });

const filters: readonly [filter: string, hosts: readonly string[]][] = [
  ['host.name == "a"', ["a"]],
  ['match("A*", host.name) || regex("^c$", host.name)', ["a", "c"]],
  ['"x" in host.vars.tags', ["a", "b"]],
  ['"x" in host.vars.tags && !("y" in host.vars.tags)', ["b"]],
  ['host.vars.tags && \n "y" !in host.vars.tags', ["b"]],
  ["host.vars.size > 5 * 2", ["b"]],
  ["host.vars.size >= 10 && host.vars.size != 20", ["a"]],
  ['host.vars.disk["main"].free', ["c"]],
  ["host.vars.nothing.at.all", []],
  ["true\n ignore where host.vars.size", ["c"]],
  ["host.vars.size == 10\n assign where host.vars.size == 20", ["a", "b"]],
  ['cidr_match("192.0.2.0/28", host.address)', ["a", "b"]],
  ['match("x*", host.vars.tags, MatchAny)', ["a", "b"]],
  ['len(host.vars.tags) == 2 && host.vars.tags.contains("y")', ["a"]],
  ['host.name in [ "a", "c" ]', ["a", "c"]],
  ["(host.vars.size ? host.vars.size : 99) == 99", ["c"]],
  ['host.display_name.upper() == "B" || typeof(host) == 1 && false', ["b"]],
  ["{{ true }} && false", []],
  ["hots.name", []],
];

test("[IM12] types that no notification of a level has are disabled; states and intervals that differ are reported", async (t) => {
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
  const imported = await importFiles(t, site(more));
  assert.equal(imported.code, 0);
  includes(imported, [
    '{ contacts: ["bob"] renotify_interval: "0s" disabled_kinds: ["DOWNTIME_START", "DOWNTIME_END", ' +
      '"DOWNTIME_CANCELLED", "CUSTOM", "ACKNOWLEDGEMENT", "FLAPPING_START", "FLAPPING_STOP"] }',
  ]);
  assert.deepEqual(
    remarksOf(imported).filter((line) => line.startsWith("conf.d/zz")),
    [
      "conf.d/zz-more.conf:6 Notification gw!problems: approximated: notifications cannot be limited to some statuses: those of Down are sent too".replace(
        ":6",
        ":6",
      ),
      "conf.d/zz-more.conf:7 Notification gw!problems: approximated: the first notification is not delayed: raise max_check_attempts instead",
      "conf.d/zz-more.conf:7 Notification gw!problems: approximated: the last level goes on: notifications do not end while the problem lasts",
    ],
  );
});

test("[IM13] apply rules select by the expressions of the language", async (t) => {
  const rules = filters.map(
    ([filter], at) => `apply Service "${at}" { check_command = "passive"\n assign where ${filter}\n }\n`,
  );
  const three = `
object Host "a" { check_command = "dummy"; address = "192.0.2.1"; vars.tags = [ "x", "y" ]; vars.size = 10 }
object Host "b" { check_command = "dummy", address = "192.0.2.2", vars = { tags = [ "x" ], size = 20 } }
object Host "c" {
  check_command = "dummy"
  address = "192.0.2.200"
  vars.disk["main"] = { free = "1" + 2 } // a text
  # nothing else
}
`;
  const folder = writeSources(t, { "a.conf": three, "b.conf": rules.join("") });
  const imported = await importWith(folder, [folder]);
  const hosts = imported.cue.split(/(?= [abc]: \{ address)/).slice(1);
  const selected = filters.map(([filter], at) => [
    filter,
    hosts.flatMap((text) => (text.includes(` "${at}": {`) ? [text[1]] : [])),
  ]);
  assert.deepEqual(selected, filters);
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
  const imported = await importFiles(t, site(more));
  assert.equal(imported.code, 3);
  includes(imported, [
    'r1: { address: "r1" check:',
    'parents: ["gw"]',
    'parents: ["r1", "r2"]',
    '"monitor!disk on monitor!ssh": { dependents: [ { ref: "monitor!disk" }, ] on: { ref: "monitor!ssh" } ' +
      'fails_on: ["warning", "critical", "unknown"] period: "24x7" }',
    'backup: { selector: "downtime.backup" scope: "service" period: "downtime-backup" comment: "Backups run" }',
    '"downtime-backup": { ranges: { monday: "02:00-03:00" } }',
    '"downtime.backup": "yes"',
  ]);
  assert.deepEqual(
    remarksOf(imported).filter((line) => line.includes("unsupported")),
    [
      "conf.d/zz-more.conf:3 Host r1: unsupported: display_name is left out: the variable Undeclared is not declared",
      "conf.d/zz-more.conf:16 Dependency monitor!disk!ssh-first: unsupported: a dependency suppresses notifications only; checks go on",
    ],
  );
});

const lossy = `
object Endpoint "master" { }
globals.f = function(x) { return x }
object Host "odd" {
  check_command = "cluster"
  address = "192.0.2.9"
  icon_image = "x.png"
  vars.late = {{ get_time() }}
  vars.n = f(1)
}
apply Service "load" {
  check_command = "own"
  vars.own_last = {{ 1 }}
  assign where host.name == "odd"
}
apply Service "nowhere" {
  check_command = "no-such"
  event_command = "gone"
  assign where host.name == "odd"
}
apply Service "state" {
  check_command = "dummy"
  assign where host.state == 1
}
object Notification "n" { host_name = "odd"; users = [ "zoe" ]; command = "page" }
function g() { }
`;

test("[IM4] what Icinga 2 has and a document has not is reported with its place; the exit code is 3", async (t) => {
  const imported = await importFiles(t, site(lossy));
  assert.equal(imported.code, 3);
  assert.deepEqual(
    remarksOf(imported).filter((line) => line.startsWith("conf.d/zz-more.conf")),
    [
      "conf.d/zz-more.conf:2 Endpoint master: unsupported: workers connect to the agent: see its flag -worker",
      "conf.d/zz-more.conf:5 Host odd: unsupported: check_command cluster is left out: the aggregator shows the realms that it does not reach",
      "conf.d/zz-more.conf:7 Host odd: unsupported: icon_image is left out: the dashboard has no icons",
      "conf.d/zz-more.conf:8 Host odd: unsupported: vars.late is left out: a function computes it at run time",
      "conf.d/zz-more.conf:9 Host odd: unsupported: vars.n is left out: the function f is not carried over",
      "conf.d/zz-more.conf:12 Service odd!load: unsupported: own: the argument last is left out: a function computes it at run time",
      "conf.d/zz-more.conf:13 Service odd!load: unsupported: vars.own_last is left out: a function computes it at run time",
      "conf.d/zz-more.conf:17 Service odd!nowhere: unsupported: check_command no-such is not declared here: declare a CheckCommand no-such",
      "conf.d/zz-more.conf:23 apply Service state: unsupported: the rule cannot be decided, and selects nothing: state is known at run time only",
      "conf.d/zz-more.conf:25 Notification odd!n: unsupported: the user zoe is not declared",
      "conf.d/zz-more.conf:25 Notification odd!n: unsupported: it reaches no user",
      "conf.d/zz-more.conf:26 statement line 26: unsupported: the statement function is not carried over",
    ],
  );
  assert.equal((await importFiles(t, site(lossy), ["-lenient"])).code, 0);
});

const broken: readonly [what: string, files: SourceFiles, line: RegExp][] = [
  ["a missing file", { "icinga2.conf": '\ninclude "gone.conf"\n' }, /icinga2\.conf:2: cannot read gone\.conf: ENOENT$/],
  [
    "a missing folder",
    { "icinga2.conf": 'include_recursive "gone"\n' },
    /icinga2\.conf:1: cannot read the folder gone$/,
  ],
  ["an open brace", { "a.conf": '\nobject Host "a" {\n' }, /a\.conf:2: the block has no closing brace$/],
  ["an object without a name", { "a.conf": "object Host { }\n" }, /a\.conf:1: the object has no name$/],
  ["an open string", { "a.conf": 'const A = "x\n' }, /a\.conf:1: the string has no closing quote$/],
  ["an open comment", { "a.conf": "\n/* x" }, /a\.conf:2: the comment has no closing \*\/$/],
  ["a missing value", { "a.conf": 'object Host "a" {\n address =\n}\n' }, /a\.conf:3: expected a value, found "\}"$/],
  [
    "an unknown template",
    { "a.conf": 'object Host "a" {\n import "x"\n}' },
    /a\.conf:2: the Host imports "x", which is not/,
  ],
  [
    "a template that imports itself",
    { "a.conf": 'template Host "t" { import "t" }\nobject Host "a" { import "t" }\n' },
    /a\.conf:1: a template imports itself/,
  ],
  [
    "an object that is declared twice",
    { "a.conf": 'object Host "a" { }\nobject Host "a" { }\n' },
    /a\.conf:2: the Host "a" is declared twice: also at a\.conf:1$/,
  ],
];
for (const [what, files, line] of broken)
  test(`[IM5] ${what} of Icinga 2 ends the import with code 1 and the place`, async (t) => {
    const { code, lines } = await importFiles(t, files);
    assert.equal(code, 1, lines.join("\n"));
    assert.match(lines.join("\n"), line);
  });

test("[IM6] an import of the same files of Icinga 2 gives the same document", async (t) => {
  assert.equal((await importFiles(t, site(lossy))).cue, (await importFiles(t, site(lossy))).cue);
});

const list = `Object 'web' of type 'Host':
  % declared in '/etc/icinga2/conf.d/hosts.conf', lines 18:1-18:20
  * __name = "web"
  * address = "192.0.2.1"
    % = modified in '/etc/icinga2/conf.d/hosts.conf', lines 20:3-20:23
  * check_command = "hostalive"
  * check_interval = 60
  * groups = [ "linux", "all" ]
  * name = "web"
  * notes = "two
lines"
  * vars
    % = modified in '/etc/icinga2/conf.d/hosts.conf', lines 22:3-22:20
    * disks
      * disk /
        * disk_partitions = "/"
    * os = "Linux"
  * volatile = true
    % = modified in '/etc/icinga2/conf.d/hosts.conf', lines 30:3-30:20

\u001b[32mObject\u001b[0m 'web!disk /' of type 'Service':
  % declared in '/etc/icinga2/conf.d/services.conf', lines 4:1-4:40
  * __name = "web!disk /"
  * check_command = "own"
  * host_name = "web"
  * name = "disk /"
  * vars
    * own_last = "a"

Object 'own' of type 'CheckCommand':
  % declared in '/etc/icinga2/conf.d/commands.conf', lines 4:1-4:40
  * __name = "own"
  * arguments
    * last
      * skip_key = true
      * value = "$own_last$"
  * command = [ "/opt/check own", "-H", "$address$" ]
  * name = "own"
  * timeout = 30
`;

test("[IM15] the output of icinga2 object list gives a document, with the places of the configuration", async (t) => {
  const folder = writeSources(t, { "list.txt": list });
  const imported = await importWith(folder, ["-objects", join(folder, "list.txt")]);
  assert.equal(imported.code, 3);
  assert.deepEqual(remarksOf(imported), [
    "/etc/icinga2/conf.d/hosts.conf:18 Host web: approximated: notes is kept as a variable",
    "/etc/icinga2/conf.d/hosts.conf:18 Host web: approximated: vars.disks is kept as JSON text",
    "/etc/icinga2/conf.d/hosts.conf:30 Host web: unsupported: volatile is left out: a problem that repeats is notified after renotify_interval",
  ]);
  includes(imported, [
    'web: { address: "192.0.2.1" labels: { "hostgroup.all": "yes" "hostgroup.linux": "yes" }',
    'NOTES: "two\\nlines" DISKS: "{\\"disk /\\":{\\"disk_partitions\\":\\"/\\"}}" OS: "Linux"',
    "own: { line: \"'/opt/check own' -H $ARG1$ $ARG2$\" }",
    'check: { type: "command" command: "own" args: ["192.0.2.1", "a"] check_interval: "5m"',
  ]);
});

test("[IM15] a file that is no list of objects ends the import with code 1 and the place", async (t) => {
  const folder = writeSources(t, { "list.txt": "\nhello\n", "empty.txt": "" });
  const run = async (name: string) => (await importWith(folder, ["-objects", join(folder, name)])).lines.join("\n");
  assert.match(await run("list.txt"), /^list\.txt:2: expected "Object 'NAME' of type 'TYPE':", found "hello"$/);
  assert.match(await run("empty.txt"), /^empty\.txt:1: has no object/);
  assert.match(await run("gone.txt"), /^gone\.txt: cannot be read: /);
});

const refusals: readonly [what: string, args: readonly string[], message: RegExp][] = [
  ["neither a folder nor a list", [], /give either DIR_OR_FILE or -objects FILE$/],
  ["both a folder and a list", [".", "-objects", "x"], /give either DIR_OR_FILE or -objects FILE$/],
  ["a retention file", [".", "-retention", "x"], /-retention is for Nagios/],
];
for (const [what, args, message] of refusals)
  test(`[IM16] an import of Icinga 2 with ${what} is refused with code 2`, async () => {
    const { code, stderr } = await runSubCommand(importIcinga2SubCommand, [...args, "-out", "/nowhere/x.cue"]);
    assert.equal(code, 2);
    assert.match(stderr, message);
  });
