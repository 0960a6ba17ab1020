import assert from "node:assert/strict";
import { type TestContext, test } from "node:test";
import { importNagiosFiles, nagiosBase, nagiosRemarks } from "./nagios-import.fixture.ts";

const check = "check_command check_ping!1!2\n";
const host = (name: string, more = ""): string => `define host{\nhost_name ${name}\n${check}${more}\n}\n`;
const service = (text: string): string => `define service{\n${check}${text}\n}\n`;
const hosts = ["web1", "web2", "db1", "h9"].map((name) => host(name)).join("");
/** Options of a contact that is notified of all. */
const everything = "host_notification_options d,u,r,f,s\nservice_notification_options w,u,c,r,f,s\n";
const commands = nagiosBase.slice(0, nagiosBase.indexOf("define timeperiod"));

/** Imports objects without a contact; `options` are added to the main file. */
async function importObjects(t: TestContext, objects: string, options = "") {
  const files = { "nagios.cfg": `cfg_dir=objects\nresource_file=resource.cfg\n${options}`, "objects/a.cfg": objects };
  const imported = await importNagiosFiles(t, { ...files, "objects/commands.cfg": commands });
  return { ...imported, flat: imported.cue.replaceAll(/\s+/g, " "), remarks: nagiosRemarks(imported) };
}

/** Hosts on which a service is, in the order of the document. */
function hostsWith(cue: string, name: string): readonly string[] {
  const hostBlocks = cue.slice(cue.indexOf("\nhosts: {")).split(/\n\t(?=["\w-]+: \{)/);
  return hostBlocks.flatMap((block) =>
    block.includes(`\n\t\t\t${name}: {`) ? [block.slice(0, block.indexOf(":"))] : [],
  );
}

for (const [name, list, options, expected] of [
  ["names", "web1,db1", "", ["web1", "db1"]],
  ["all but one", "*,!h9", "", ["web1", "web2", "db1"]],
  ["a marked expression", "web.*", "use_regexp_matching=1\n", ["web1", "web2"]],
  ["an expression is searched for", "b1+", "use_regexp_matching=1\n", ["web1", "db1"]],
  ["an unmarked one is a name", "web", "use_regexp_matching=1\n", []],
  ["all are expressions", "^web", "use_regexp_matching=1\nuse_true_regexp_matching=1\n", ["web1", "web2"]],
  ["a class of POSIX", "^[[:alpha:]]+2$", "use_regexp_matching=1\n", ["web2"]],
  ["a star alone", "*", "use_regexp_matching=1\n", ["web1", "web2", "db1", "h9"]],
  ["an expression that is excluded", "*,!web.*", "use_regexp_matching=1\n", ["db1", "h9"]],
] as const)
  test(`[IM20] a list of hosts with ${name} selects as in Nagios, in services and in groups`, async (t) => {
    const objects = `${hosts}define hostgroup{\nhostgroup_name g\nmembers ${list}\n}\n`;
    const services =
      service(`host_name ${list}\nservice_description Own`) + service("hostgroup_name g\nservice_description Grouped");
    const { cue, remarks } = await importObjects(t, objects + services, options);
    assert.deepEqual(hostsWith(cue, "Own"), expected);
    assert.deepEqual(hostsWith(cue, "Grouped"), expected);
    if (expected.length > 0) assert.deepEqual(remarks, []);
    else assert.ok(remarks.includes("service g!Grouped: unsupported: it is on no host") || remarks.length > 0);
  });

test("[IM20] a group is without what its own list excludes, also where the host names the group", async (t) => {
  const objects = `${host("a", "hostgroups g")}${host("b", "host_groups g")}define hostgroup{\nhostgroup_name g\nmembers !a\n}\n`;
  const { cue } = await importObjects(t, objects + service("hostgroups g\ndescription S"));
  assert.deepEqual(hostsWith(cue, "S"), ["b"]);
});

test("[IM20] a group without members and a service without hosts are reported", async (t) => {
  const objects = `${hosts}define hostgroup{\nhostgroup_name none\n}\n${service("hostgroup_name none\nservice_description S")}`;
  assert.deepEqual((await importObjects(t, objects)).remarks, [
    "hostgroup none: approximated: no host is in it",
    "service none!S: unsupported: it is on no host",
  ]);
});

test("[IM21] an alias of a directive is the directive, in templates too", async (t) => {
  const template = "define service{\nname t\nregister 0\ncheck_interval 360\nretry_check_interval 3\n}\n";
  const objects =
    template + hosts + service("use t\nhosts web1\ndescription S\nnormal_check_interval 5\nservice_groups jobs");
  const { flat, remarks } = await importObjects(t, `${objects}define servicegroup{\nservicegroup_name jobs\n}\n`);
  assert.match(flat, /S: \{ labels: [^}]*\} check: \{ type: "command" [^}]*check_interval: "5m" retry_interval: "3m"/);
  assert.match(flat, /"servicegroup\.jobs": "yes"/);
  assert.deepEqual(remarks, []);
});

test("[IM22] of several definitions of a service the first counts, one for its host before one for a group", async (t) => {
  const objects =
    `${host("a", "hostgroups g")}define hostgroup{\nhostgroup_name g\n}\n` +
    service("hostgroup_name g\nservice_description S\nmax_check_attempts 2") +
    service("host_name a\nservice_description S\nmax_check_attempts 5") +
    service("host_name a\nservice_description S\nmax_check_attempts 7");
  const { flat, remarks, items } = await importObjects(t, objects);
  assert.match(flat, /S: \{ check: \{[^}]*max_attempts: 5/);
  const place = `${items.find(({ why }) => why.includes("twice"))?.why.replace(/^.*at (.*):\d+ counts.*$/, "$1")}`;
  assert.deepEqual(
    remarks.map((remark) => remark.replace(place, "FILE")),
    [
      "service g!S: approximated: a!S is defined twice: the definition at FILE:15 counts, as in Nagios",
      "service a!S: approximated: a!S is defined twice: the definition at FILE:15 counts, as in Nagios",
    ],
  );
});

const contacts = `define contact{\ncontact_name c\n${everything}service_notification_commands page\n}\n`;

for (const [name, directives, refs] of [
  ["a group of services", "servicegroup_name jobs", ["web1!Backup", "db1!Report"]],
  ["a group without one in another", "servicegroups jobs,!late", ["web1!Backup"]],
  ["all services of a host", "host_name web1\nservice_description *", ["web1!Backup", "web1!Ping"]],
  ["all but one", "host_name web1\nservice_description *,!Ping", ["web1!Backup"]],
  ["a service of a group of hosts", "hostgroup_name web\nservice_description Ping", ["web1!Ping"]],
] as const)
  test(`[IM23] an escalation and a dependency apply to ${name}`, async (t) => {
    const objects =
      host("web1", "hostgroups web") +
      host("db1") +
      "define hostgroup{\nhostgroup_name web\n}\ndefine servicegroup{\nservicegroup_name late\nmembers db1,Report\n}\n" +
      "define servicegroup{\nservicegroup_name jobs\nmembers web1,Backup\nservicegroup_members late\n}\n" +
      contacts +
      service("host_name web1\nservice_description Ping") +
      service("host_name web1\nservice_description Backup") +
      service("host_name db1\nservice_description Report") +
      service("host_name db1\nservice_description Master") +
      `define serviceescalation{\n${directives}\nfirst_notification 2\ncontacts c\n}\n` +
      "define servicedependency{\nhost_name db1\nservice_description Master\nnotification_failure_criteria c\n" +
      `${directives.replaceAll(/^/gm, "dependent_")}\n}\n`;
    const { cue, flat, remarks } = await importObjects(t, objects);
    const services = ["web1!Backup", "web1!Ping", "db1!Report"];
    const escalated = services.filter((ref) => {
      const [on, name] = ref.split("!");
      const block = flat.slice(flat.indexOf(` ${on}: {`)).split(` ${name}: {`)[1] ?? "";
      return block.slice(0, block.search(/ \} (?:[A-Z]\w+: \{|\})/) + 40).includes('notification: "c"');
    });
    assert.deepEqual(escalated, refs, cue);
    const dependents = /dependents: \[(.*?)\] on:/.exec(flat)?.[1]?.matchAll(/ref: "([^"]+)"/g) ?? [];
    assert.deepEqual([...dependents].map(([, ref]) => ref).toSorted(), [...refs].toSorted());
    assert.deepEqual(remarks, []);
  });

test("[IM24] a contact with two notification commands becomes two, which are notified together", async (t) => {
  const two = `define contact{\ncontact_name ann\n${everything}service_notification_commands page!a,page!b\n}\n`;
  const { flat, remarks } = await importObjects(t, two + host("web1", "contacts ann\nnotification_options d,u,r,f,s"));
  assert.match(
    flat,
    /ann: \{ type: "command" command: "page" args: \["a"\] \} "ann-2": \{ type: "command" command: "page" args: \["b"\]/,
  );
  assert.match(flat, /contacts: \["ann", "ann-2"\]/);
  assert.deepEqual(remarks, ["contact ann: approximated: a contact has one command: it became ann, ann-2"]);
});

test("[IM24] a contact with other commands for hosts becomes one for hosts and one for services", async (t) => {
  const contact = (name: string, host: string, service: string, more = ""): string =>
    `define contact{\ncontact_name ${name}\n${everything}${more}host_notification_commands ${host}\nservice_notification_commands ${service}\n}\n`;
  const mail = "define command{\ncommand_name mail-host\ncommand_line /usr/bin/mail $CONTACTEMAIL$\n}\n".concat(
    "define command{\ncommand_name mail-service\ncommand_line /usr/bin/mail $CONTACTEMAIL$\n}\n",
  );
  const objects = [
    mail + contact("both", "page!h", "page!s", "host_notification_period none\n") + contact("same", "page!x", "page!x"),
    contact("mails", "mail-host", "mail-service,page!m", "email m@example.org\n"),
    host("web1", "contacts both,same,mails\nnotification_options d,u,r,f,s"),
    service("host_name web1\nservice_description S\nnotification_options w,u,c,r,f,s\ncontacts both,same,mails"),
    "define timeperiod{\ntimeperiod_name none\nmonday 00:00-00:00\n}\n",
  ];
  const { flat, remarks } = await importObjects(t, objects.join(""));
  assert.match(flat, /both: \{ type: "command" command: "page" args: \["s"\] \}/);
  assert.match(flat, /"both-hosts": \{ type: "command" command: "page" args: \["h"\] notification_period: "none" \}/);
  assert.match(flat, /mails: \{ type: "email" address: "m@example.org" \} "mails-2": \{ type: "command"/);
  assert.match(flat, /contacts: \["both-hosts", "mails", "same"\]/);
  assert.match(flat, /contacts: \["both", "mails", "mails-2", "same"\]/);
  assert.deepEqual(
    remarks.filter((remark) => remark.includes("it became")).map((remark) => remark.replace(/.*: /, "")),
    ["it became both, both-hosts", "it became mails, mails-2"],
  );
});

for (const [name, command, definition, says] of [
  [
    "a $USERn$ without a value",
    "bare",
    "command_line $USER9$/check_x",
    "the macro $$USER9$$, which resources do not declare",
  ],
  ["an unknown macro", "odd", "command_line /opt/odd $HOSTSTATE:gw$", "the unknown macro $$HOSTSTATE:gw$$"],
  ["no definition", "gone!a", "command_line /bin/true", 'the command \\"gone\\", which is not declared'],
  ["an unknown macro in its arguments", "check_ping!$_NOBODY$!1", "command_line /bin/true", "UNKNOWN: "],
] as const)
  test(`[IM25] a host whose command has ${name} stays, and its check says so`, async (t) => {
    const defined = `define command{\ncommand_name ${command.split("!")[0] === "gone" ? "other" : command}\n${definition}\n}\n`;
    const objects = `${defined}define host{\nhost_name web1\ncheck_command ${command}\n}\n`;
    const { code, flat, remarks } = await importObjects(t, objects + service("host_name web1\nservice_description S"));
    assert.equal(code, 3);
    assert.match(flat, / web1: \{.* S: \{ check: \{/);
    const line = /line: "printf '%s\\\\n' 'UNKNOWN: (.*?)'; exit 3" shell: true/.exec(flat)?.[0] ?? flat;
    assert.ok(line.includes(says), line);
    assert.equal(remarks.length, 1, remarks.join("\n"));
  });

test("[IM25] objects that name the same missing command all stay, and a contact too", async (t) => {
  const [gone, contact] = ["check_command gone", `define contact{\ncontact_name c\n${everything}`];
  const objects = [
    ...["web1", "web2"].map((name) => `define host{\nhost_name ${name}\n${gone}\ncontacts c\n}\n`),
    `define service{\nhost_name web1,web2\nservice_description S\n${gone}\ncontacts c\n}\n`,
    `${contact}service_notification_commands gone\n}\n`,
  ];
  const { document, remarks } = await importObjects(t, objects.join(""));
  const { hosts, contacts: kept } = document as { hosts: Record<string, { services: object }>; contacts: object };
  assert.deepEqual(
    Object.entries(hosts).map(([name, { services }]) => [name, Object.keys(services)]),
    [
      ["web1", ["S"]],
      ["web2", ["S"]],
    ],
  );
  assert.deepEqual(Object.keys(kept), ["c"]);
  assert.equal(remarks.length, 5);
});

test("[IM29] a contact without options is notified of nothing, as in Nagios, and has a finding", async (t) => {
  const contact = "define contact{\ncontact_name c\nservice_notification_commands page\n}\n";
  const { flat, items } = await importObjects(t, contact + host("web1", "contacts c"));
  assert.doesNotMatch(flat, /notifications: /);
  assert.deepEqual(
    items.filter(({ kind, why }) => kind === "contact" && why !== "").map(({ why }) => why.replace(/[:,].*/, "")),
    ["it has no host_notification_options", "it has no service_notification_options", "nothing uses it"],
  );
});

test("[IM29] a contact that takes nothing of a kind of objects leaves the kinds of the others as they are", async (t) => {
  const contact = (name: string, options: string): string =>
    `define contact{\ncontact_name ${name}\nservice_notification_commands page!${name}\nhost_notification_options d,r\nservice_notification_options ${options}\n}\n`;
  const objects = contact("both", "c,r") + contact("hostonly", "n") + host("web1");
  const { flat, remarks } = await importObjects(
    t,
    objects + service("host_name web1\nservice_description S\nnotification_options c,r,f,s\ncontacts both,hostonly"),
  );
  assert.match(flat, /contacts: \["both"\] renotify_interval: "30m" disabled_kinds: \["FLAPPING_START"/);
  assert.deepEqual(remarks, []);
});

test("[IM26] each directive and option that is not used has a finding, also an unknown one", async (t) => {
  const main =
    "log_file=x\nhost_perfdata_command=page\nocsp_command=\nbroker_module=/x.o\nodd_option=1\nuse_syslog=0\n";
  const directives =
    "parents web2\nstalking_options o,w\nis_volatile 0\nodd_directive x\nprocess_perf_data 1\npassive_checks_enabled 0";
  const template = `define service{\nname t\nregister 0\n${directives}\n}\n`;
  const services = ["A", "B"].map((name) => service(`use t\nhost_name web1\nservice_description ${name}`)).join("");
  const { remarks, items } = await importObjects(t, template + hosts + services, main);
  assert.deepEqual(remarks, [
    "option host_perfdata_command: unsupported: left out: performance data goes to a sink: declare one",
    "option broker_module: unsupported: left out: modules cannot be loaded: a sink of events or results has what they get",
    "option odd_option: unsupported: left out: it has no counterpart",
    "service web1!A: unsupported: parents is left out: a service depends on its host alone: declare a dependency for a service",
    "service web1!A: unsupported: stalking_options is left out: every change of the output is in the log of a sink of events",
    "service web1!A: unsupported: odd_directive is left out: it has no counterpart",
    "service web1!A: unsupported: passive_checks_enabled is left out: passive results are accepted: realmwatch toggle object passive-checks off",
  ]);
  const places = items.filter(({ why }) => why.includes("left out")).map(({ source }) => source.line);
  assert.deepEqual(places, [3, 4, 6, 7, 4, 5, 7, 8, 9], JSON.stringify(items));
});

test("[IM29] notification options become the statuses of levels, those of contacts too; one with fewer is another contact", async (t) => {
  const contact = (name: string, options: string): string =>
    `define contact{\ncontact_name ${name}\nservice_notification_commands page!${name}\nhost_notification_options d,u,r,f,s\nservice_notification_options ${options}\n}\n`;
  const objects = [
    contact("all", "w,u,c,r,f,s"),
    contact("night", "c,r,f,s"),
    contact("day", "c,r,f,s"),
    host("web1", "notification_options d,r,f,s\ncontacts all"),
    service("host_name web1\nservice_description Own\nnotification_options c,u,r,f,s\ncontacts all"),
    service("host_name web1\nservice_description Theirs\nnotification_options w,u,c,r,f,s\ncontacts night,day"),
    service("host_name web1\nservice_description Mixed\nnotification_options w,u,c,r,f,s\ncontacts all,night"),
  ].join("");
  const imported = await importObjects(t, objects);
  assert.deepEqual(nagiosRemarks(imported), []);
  const { flat } = imported;
  assert.match(flat, /"night-critical-unreachable": \{ type: "command" .*? statuses: \["CRITICAL", "UNREACHABLE"\]/);
  const levels = [...flat.matchAll(/contacts: (\[[^\]]*\]) renotify_interval: "30m"(?: statuses: (\[[^\]]*\]))?/g)];
  assert.deepEqual(
    levels.map(([, contacts, statuses]) => `${contacts} ${statuses}`),
    [
      '["all"] ["WARNING", "CRITICAL", "UNKNOWN"]',
      '["all"] ["CRITICAL", "UNKNOWN", "UNREACHABLE"]',
      '["day", "night"] ["CRITICAL", "UNREACHABLE"]',
      '["all", "night-critical-unreachable"] undefined',
    ],
  );
});
