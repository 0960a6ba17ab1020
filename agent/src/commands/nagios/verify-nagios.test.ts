import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { runImport, writeSources } from "../import/import-run.fixture.ts";
import { importNagiosSubCommand } from "../import-nagios.ts";
import { nagiosBase } from "./nagios-import.fixture.ts";

const nagios = ["/usr/sbin/nagios4", "/usr/local/nagios/bin/nagios"].find(
  (path) => spawnSync(path, ["--version"]).error === undefined,
);
const skip = nagios === undefined ? "nagios4 is not installed (Debian: nagios4-core)" : false;

/** Objects with what real configurations have of lists, templates, aliases, duplicates and escalations. */
const company = `
define contact{
  contact_name carl
  alias Carl
  service_notification_commands page!carl,page!carl-again
  host_notification_commands page!carl
  host_notification_period always
  service_notification_period always
  host_notification_options d,u,r
  service_notification_options w,u,c,r
}
define contactgroup{
  contactgroup_name night
  members carl
  contactgroup_members admins
}
define service{
  name often
  register 0
  normal_check_interval 2
  retry_check_interval 1
  max_check_attempts 3
  check_command check_ping!1!2
  check_period always
  notification_period always
  notification_interval 15
  contact_groups night
}
define service{
  name rarely
  use often
  register 0
  check_interval 360
  contacts +bob
}
define host{
  use generic
  host_name db1
  host_groups db,rack-1
}
define host{
  use generic
  host_name db2
  hostgroups db
  parents gw
}
define hostgroup{
  hostgroup_name db
  alias Databases
}
define hostgroup{
  hostgroup_name rack-1
  alias Rack 1
  members !gw,web.*
}
define hostgroup{
  hostgroup_name most
  alias Most
  members !web1,.*
}
define hostgroup{
  hostgroup_name both
  alias Both
  hostgroup_members db,web
}
define service{
  use often
  hostgroups most
  description Ping
}
define service{
  use rarely
  hosts db1
  service_description Ping
  service_groups slow
}
define service{
  use rarely
  hostgroup_name both,!web
  service_description Backup
  servicegroups slow,jobs
}
define service{
  use often
  host_name db[12]+
  service_description Load
  notification_options c,r
}
define servicegroup{
  servicegroup_name slow
  alias Slow
}
define servicegroup{
  servicegroup_name jobs
  alias Jobs
  members db.*,Load
}
define servicegroup{
  servicegroup_name all
  alias All
  servicegroup_members slow
}
define serviceescalation{
  servicegroup_name jobs
  first_notification 3
  last_notification 0
  notification_interval 10
  contacts carl
}
define serviceescalation{
  host_name db1
  service_description .*
  first_notification 5
  last_notification 6
  notification_interval 5
  contact_groups admins
}
define hostescalation{
  hostgroup_name db
  first_notification 2
  last_notification 4
  notification_interval 20
  contacts bob
}
define servicedependency{
  host_name db1
  service_description Load
  dependent_servicegroup_name slow
  notification_failure_options c,u
}
define hostdependency{
  master_host gw
  dependent_hostgroup both
  notification_failure_criteria d
}
`;

test("[IM27] the document of a configuration with every kind of list agrees with what Nagios itself has", {
  skip,
}, async (t) => {
  const contacts = nagiosBase
    .replace("timeperiod_name always", "$&\n  alias Always")
    .replace("12:00, 13", "12:00,13")
    .replaceAll(
      /(define contact\{)/g,
      "$1\n  alias x\n  host_notification_commands page!bob\n  host_notification_period always\n  service_notification_period always\n" +
        "  host_notification_options d,u,r\n  service_notification_options w,u,c,r",
    );
  const { username } = userInfo();
  const folder = writeSources(t, {
    "nagios.cfg": [
      "cfg_dir=objects\nresource_file=resource.cfg\nuse_regexp_matching=1\nillegal_macro_output_chars=`\n",
      `nagios_user=${username}\nnagios_group=${username}\ncheck_result_path=/tmp\nlog_file=log\n`,
      "precached_object_file=precache\nobject_cache_file=cache\nstatus_file=status\nlock_file=lock\ntemp_file=temp\n",
    ].join(""),
    "resource.cfg": "$USER1$=/usr/lib/plugins\n",
    "objects/a.cfg": contacts,
    "objects/b.cfg": company,
  });
  const main = join(folder, "nagios.cfg");
  const printed = spawnSync(nagios ?? "", ["-pv", main], { encoding: "utf8" });
  assert.equal(printed.status, 0, printed.stdout);
  const { items, cue } = await runImport(importNagiosSubCommand, folder, [main, "-verify", join(folder, "precache")]);
  const differences = items.filter(({ kind }) => kind === "difference");
  assert.deepEqual(
    differences.map(({ name, why }) => `${name}: ${why}`),
    [],
    cue,
  );
});

test("[IM27] each difference from the list of Nagios is a finding with its place there, and the exit code is 3", async (t) => {
  const objects =
    `${nagiosBase}define service{\n  use generic\n  host_name web1\n  service_description Disk\n}\n`.replace(
      "define host{\n  name generic",
      "define service{\n  name generic\n  check_command check_ping!1!2\n  register 0\n}\n$&",
    );
  const other = objects
    .replace("!1!2", "!1!3")
    .replace("check_interval 5", "check_interval 6")
    .replace("  parents gw\n", "")
    .replace("  hostgroups web\n", "")
    .replace("contactgroups admins", "")
    .replace("define hostgroup", "define host{\n  use generic\n  host_name more\n}\n$&");
  const folder = writeSources(t, {
    "nagios.cfg": "cfg_dir=objects\nresource_file=resource.cfg\n",
    "resource.cfg": "$USER1$=/usr/lib/plugins\n",
    "objects/a.cfg": objects,
    precache: other,
  });
  const imported = (args: readonly string[]) => runImport(importNagiosSubCommand, folder, args);
  const { code, items, lines } = await imported([join(folder, "nagios.cfg"), "-verify", join(folder, "precache")]);
  assert.equal(code, 3);
  const differences = items.filter(({ kind }) => kind === "difference");
  assert.deepEqual(differences.map(({ name, why }) => `${name}: ${why}`).toSorted(), [
    "host gw: check_interval: 300 s in the document, 360 s in the list",
    'host gw: notification levels: [{"contacts":["ann"],"renotify_interval":"30m"}] in the document, none in the list',
    "host more: it is not in the document",
    "host web1: check_interval: 300 s in the document, 360 s in the list",
    'host web1: groups: ["hostgroup.web"] in the document, none in the list',
    'host web1: notification levels: [{"contacts":["ann","bob"],"renotify_interval":"30m"}] in the document, [{"contacts":["bob"],"renotify_interval":"30m"}] in the list',
    'host web1: parents: ["gw"] in the document, none in the list',
    "service web1!Disk: check: /usr/lib/plugins/check_ping -H $HOSTADDRESS$ -w 1 -c 2 in the document, /usr/lib/plugins/check_ping -H $HOSTADDRESS$ -w 1 -c 3 in the list",
    'service web1!Disk: notification levels: [{"contacts":["ann","bob"],"renotify_interval":"30m"}] in the document, [{"contacts":["bob"],"renotify_interval":"30m"}] in the list',
  ]);
  assert.ok(differences.every(({ source }) => source.file.endsWith("precache") && source.line > 1));
  assert.ok(lines.every((line) => !line.includes("then -verify")));
  const unread = await imported([join(folder, "nagios.cfg"), "-verify", join(folder, "none")]);
  assert.equal(unread.code, 1);
  assert.match(unread.lines.join(""), /none: cannot be read: no such file or directory/);
  assert.match(
    (await imported([join(folder, "nagios.cfg")])).lines.join("\n"),
    /nagios4 -pv .*nagios\.cfg, then -verify/,
  );
});
