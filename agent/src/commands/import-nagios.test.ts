import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { importNagiosSubCommand } from "./import-nagios.ts";
import { importNagiosFiles, nagiosBase, nagiosRemarks, writeNagiosSite } from "./nagios/nagios-import.fixture.ts";
import { runSubCommand } from "./run-sub-command.fixture.ts";

const ownText = "contact ann: approximated: mails have Realmwatch's own text instead of the one of mail";

test("[IM1] templates, groups, arguments and intervals are applied; the document holds", async (t) => {
  const carl = `
define contact{
  contact_name carl
  host_notification_options d,u,r,f,s
  service_notification_options w,u,c,r,f,s
  service_notification_commands mail
}
define host{
  use generic
  host_name db1
  contacts carl
}
`;
  const imported = await importNagiosFiles(t, { "objects/a.cfg": nagiosBase, "objects/b.cfg": carl });
  assert.equal(imported.code, 0);
  assert.deepEqual(nagiosRemarks(imported), [ownText]);
  assert.match(imported.lines.at(-1) ?? "", /^out\.cue: 11 converted, 3 approximated, 0 unsupported$/);
  assert.match(imported.cue, /USER1: "\/usr\/lib\/plugins"/);
  assert.match(imported.cue, /line: "\/opt\/page \$ARG1\$"/);
  assert.match(imported.cue, /mail -s x \$CONTACTEMAIL\$"\n\t\tshell: true/);
  assert.match(imported.cue, /"day 1 - 5": "10:00-12:00,13:00-14:00"\n\t\t\t"monday 3 july": "00:00-00:00"/);
  assert.match(imported.cue, /ann: \{\n\t\ttype: "email"\n\t\taddress: "ann@example.org"\n/);
  assert.match(imported.cue, /bob: \{\n\t\ttype: "command"\n\t\tcommand: "page"\n\t\targs: \["bob"\]/);
  assert.match(
    imported.cue,
    /check_interval: "5m"\n\t\t\tretry_interval: "1m"\n\t\t\ttimeout: "30s"\n\t\t\tmax_attempts: 4/,
  );
  assert.match(imported.cue, /args: \["100,20%", "500,60%"\]/);
  assert.match(imported.cue, /parents: \["gw"\]\n\t\tlabels: \{\n\t\t\t"hostgroup\.web": "yes"/);
  assert.match(imported.cue, /RACK: "R7"/);
  assert.match(imported.cue, /contacts: \["ann", "bob"\]\n\t\t\t\trenotify_interval: "30m"/);
  assert.match(imported.cue, /web: \{\n\t\tselector: "hostgroup\.web"\n\t\tdescription: "Web servers"/);
});

test("[IM2] services go to the hosts of lists and groups without excluded ones, and inherit contacts", async (t) => {
  const services = `
define service{
  hostgroup_name web
  host_name *,!gw
  service_description Ping
  check_command check_ping!1!2
}
define service{
  host_name web1
  service_description Backup
  active_checks_enabled 0
  check_freshness 1
  freshness_threshold 93600
  check_command check_ping!1!2
  servicegroups jobs
  notification_options c,r
}
define servicegroup{
  servicegroup_name jobs
}
`;
  const imported = await importNagiosFiles(t, { "objects/a.cfg": nagiosBase, "objects/b.cfg": services });
  assert.equal(imported.code, 0);
  assert.equal(imported.cue.match(/\t\t\tPing: \{/g)?.length, 1);
  assert.match(
    imported.cue,
    /Backup: \{\n\t+labels: [^}]*\}\n\t+check: \{\n\t+type: "passive"\n\t+freshness_threshold: "26h"/,
  );
  assert.match(imported.cue, /"servicegroup\.jobs": "yes"/);
  assert.match(imported.cue, /disabled_kinds: \["FLAPPING_START", "FLAPPING_STOP", "DOWNTIME_START",/);
  assert.match(imported.cue, /disabled_kinds: \[.*\]\n\t+statuses: \["CRITICAL", "UNREACHABLE"\]/);
  assert.deepEqual(nagiosRemarks(imported).slice(1), [
    "service web1!Backup: approximated: a result that is overdue becomes UNKNOWN; check_command is not executed",
  ]);
});

test("[IM3] escalations become levels by notification number, dependencies suppress notifications", async (t) => {
  const more = `
define service{
  host_name web1
  service_description Disk
  check_command check_ping!1!2
  event_handler page!disk
}
define serviceescalation{
  host_name web1
  service_description Disk
  first_notification 3
  last_notification 5
  notification_interval 10
  contacts bob
}
define hostdependency{
  host_name gw
  dependent_host_name web1
  notification_failure_criteria d,u
}
`;
  const imported = await importNagiosFiles(t, { "objects/a.cfg": nagiosBase, "objects/b.cfg": more });
  assert.equal(imported.code, 0);
  const levels = imported.cue.replaceAll(/\s+/g, " ");
  assert.ok(
    levels.includes(
      '{ contacts: ["ann", "bob"] threshold: 2 renotify_interval: "30m" }, { contacts: ["bob"] threshold: 3 ' +
        'renotify_interval: "10m" }, { contacts: ["ann", "bob"] renotify_interval: "30m" }',
    ),
    levels,
  );
  assert.match(
    levels,
    /dependents: \[ \{ ref: "web1" \}, \] on: \{ ref: "gw" \} fails_on: \["critical", "unreachable"\]/,
  );
  assert.match(levels, /handler: "page!disk"/);
});

const lossy = `
define command{
  command_name odd
  command_line /opt/odd $HOSTSTATE:gw$
}
define host{
  use generic
  host_name web2
  parents gw,nowhere
  icon_image x.png
}
define service{
  host_name web2
  service_description Odd
  check_command odd
}
define servicedependency{
  host_name web1
}
`;

test("[IM4] what cannot be carried over is reported with its place, and the exit code is 3, or 0 with -lenient", async (t) => {
  const files = { "objects/a.cfg": nagiosBase, "objects/b.cfg": lossy };
  const imported = await importNagiosFiles(t, files);
  assert.equal(imported.code, 3);
  const places = imported.items
    .filter(({ outcome }) => outcome === "unsupported")
    .map(
      ({ source, kind, name }) => `${source.file.slice(source.file.indexOf("objects"))}:${source.line} ${kind} ${name}`,
    );
  assert.deepEqual(places, [
    "objects/b.cfg:2 command odd",
    "objects/b.cfg:6 host web2",
    "objects/b.cfg:10 host web2",
    "objects/b.cfg:17 servicedependency web1",
  ]);
  assert.match(nagiosRemarks(imported).join("\n"), /command "odd": line names the unknown macro \$HOSTSTATE:gw\$/);
  assert.match(imported.cue, /web2: \{\n\t\taddress: "web2"\n\t\tparents: \["gw"\]/);
  assert.match(imported.cue, /Odd: \{\n\t+check: \{\n\t+type: "command"\n\t+command: "odd"/);
  assert.equal((await importNagiosFiles(t, files, ["-lenient"])).code, 0);
});

test("[IM4] options that no document has are reported", async (t) => {
  const main =
    "cfg_file=objects/a.cfg\nenable_notifications=0\nuse_timezone=Europe/Berlin\nresource_file=resource.cfg\n";
  const imported = await importNagiosFiles(t, { "nagios.cfg": main, "objects/a.cfg": nagiosBase });
  assert.equal(imported.code, 3);
  assert.match(imported.cue, /^timezone: "Europe\/Berlin"$/m);
  assert.deepEqual(nagiosRemarks(imported), [
    "option enable_notifications: unsupported: notifications are on: realmwatch toggle program notifications off",
    ownText,
  ]);
});

test("[IM5] a main file that names no object files ends the import with code 1", async (t) => {
  const { code, lines } = await importNagiosFiles(t, { "nagios.cfg": "log_file=x\n" });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /nagios\.cfg: names no object files/);
});

const broken: readonly [what: string, files: Readonly<Record<string, string>>, line: RegExp][] = [
  [
    "a missing file",
    { "nagios.cfg": "\ncfg_file=gone.cfg\n" },
    /nagios\.cfg:2: file gone\.cfg: unsupported: cannot read gone\.cfg: no such file or directory$/m,
  ],
  [
    "a missing folder",
    { "nagios.cfg": "cfg_dir=gone\n" },
    /nagios\.cfg:1: .* cannot read gone: no such file or directory$/m,
  ],
  ["an open brace", { "objects/a.cfg": "\ndefine host{\n host_name a\n" }, /objects\/a\.cfg:2: .* no closing brace$/m],
  ["text outside", { "objects/a.cfg": "host_name a\n" }, /objects\/a\.cfg:1: .* expected "define TYPE \{"/],
  [
    "a nested one",
    { "objects/a.cfg": "define host{\ndefine host{\n" },
    /objects\/a\.cfg:2: .* a definition begins within/,
  ],
  [
    "an unknown template",
    { "objects/a.cfg": "define host{\nuse x\n}\n" },
    /a\.cfg:1: .* the host uses "x", which is not/,
  ],
  [
    "templates in a circle",
    { "objects/a.cfg": "define host{\nname a\nuse b\n}\ndefine host{\nname b\nuse a\n}\n" },
    /a\.cfg:\d: .* the host uses itself/,
  ],
];
for (const [what, files, line] of broken)
  test(`[IM17] ${what} is reported with its place, and the rest is imported`, async (t) => {
    const { code, lines, items } = await importNagiosFiles(t, files);
    assert.equal(code, 3, lines.join("\n"));
    assert.match(lines.join("\n"), line);
    assert.ok(items.some(({ outcome }) => outcome === "unsupported"));
  });

test("[IM5] a main file that is missing ends the import with code 1 and the reason", async (t) => {
  const gone = join(writeNagiosSite(t, {}), "gone.cfg");
  const { code, stderr } = await runSubCommand(importNagiosSubCommand, [gone, "-out", "/nowhere/x.cue"]);
  assert.deepEqual([code, stderr], [1, `${gone}: cannot be read: no such file or directory`]);
});

test("[IM5] a document that cannot be written ends the import with code 1", async (t) => {
  const folder = writeNagiosSite(t, { "objects/a.cfg": nagiosBase });
  const args = [join(folder, "nagios.cfg"), "-out", join(folder, "none", "out.cue")];
  const { code, stderr } = await runSubCommand(importNagiosSubCommand, args);
  assert.deepEqual(
    [code, stderr],
    [1, `${join(folder, "none", "out.cue")}: cannot be written: no such file or directory`],
  );
});

test("[IM6] an import of the same files gives the same document", async (t) => {
  const files = { "objects/a.cfg": nagiosBase, "objects/b.cfg": lossy };
  assert.equal((await importNagiosFiles(t, files)).cue, (await importNagiosFiles(t, files)).cue);
});
