import assert from "node:assert/strict";
import { test } from "node:test";
import { importIcingaFiles } from "./import/icinga-sources.fixture.ts";
import type { Imported } from "./import/import-run.fixture.ts";
import { importNagiosFiles } from "./nagios/nagios-import.fixture.ts";

/** Findings about differences by design, as reason and number of objects. */
const designOf = ({ items }: Imported): Readonly<Record<string, number>> =>
  Object.fromEntries(
    items
      .filter(({ kind, outcome }) => kind === "design" && outcome === "approximated")
      .map(({ name, why }) => [name, Number(/: (\d+); see docs\/how-to\/shadow-nagios\.md$/.exec(why)?.[1])]),
  );

const check = "check_command up\n";
const command = "define command{\ncommand_name up\ncommand_line /bin/true\n}\n";
const contact = (options: string): string =>
  `define contact{\ncontact_name c\nhost_notification_options ${options}\nservice_notification_options w,c,r\nservice_notification_commands up\n}\n`;
const host = (name: string, more: string): string => `define host{\nhost_name ${name}\n${check}${more}}\n`;
const passive = "active_checks_enabled 0\n";
const service = `define service{\nhost_name a,b\nservice_description S\n${check}max_check_attempts 3\n}\n`;

for (const [what, objects, options, expected] of [
  ["one host with one attempt", host("a", "max_check_attempts 1\n"), "", {}],
  ["services with attempts", host("a", "") + host("b", "") + service, "", { soft_again: 2 }],
  [
    "policies that repeat",
    contact("d,r") + host("a", "contacts c\nnotification_interval 0\n") + host("b", "contacts c\nparents a\n"),
    "",
    { repetition: 1 },
  ],
  [
    "parents and the option u",
    contact("d,u,r") +
      host("a", "contacts c\nnotification_interval 0\n") +
      host("b", "contacts c\nnotification_interval 0\nparents a\n"),
    "",
    { unreachable_host: 1 },
  ],
  [
    "passive hosts",
    host("a", passive) + host("b", `${passive}parents a\n`),
    "",
    { passive_host: 1, passive_attempts: 2 },
  ],
  [
    "passive hosts that are judged as here",
    host("a", passive) + host("b", `${passive}parents a\n`),
    "translate_passive_host_checks=1\npassive_host_checks_are_soft=1\n",
    {},
  ],
] as const)
  test(`[IM36] the import of Nagios names differences by design: ${what}`, async (t) => {
    const main = `cfg_file=a.cfg\n${options}`;
    const imported = await importNagiosFiles(t, { "nagios.cfg": main, "a.cfg": command + objects });
    assert.deepEqual(designOf(imported), expected);
    assert.equal(imported.code, 0, imported.lines.join("\n"));
  });

const icingaHost = (name: string, attempts = 1): string =>
  `object Host "${name}" { check_command = "hostalive"; max_check_attempts = ${attempts} }\n`;
const dependency = (child: string, parent: string, more = ""): string =>
  `object Dependency "${child}" { child_host_name = "${child}"; parent_host_name = "${parent}"; ${more} }\n`;

for (const [what, objects, expected] of [
  ["one host", icingaHost("a", 3), {}],
  [
    "a service with attempts",
    `${icingaHost("a")}object Service "s" { host_name = "a"; check_command = "ssh"; max_check_attempts = 3 }\n`,
    { hard_behind_host: 1 },
  ],
  ["a parent with attempts", icingaHost("a", 3) + icingaHost("b") + dependency("b", "a"), { soft_parent: 1 }],
  [
    "a parent whose soft states count",
    icingaHost("a", 3) + icingaHost("b") + dependency("b", "a", "ignore_soft_states = false"),
    {},
  ],
  [
    "two levels of parents",
    icingaHost("a") + icingaHost("b") + icingaHost("c") + dependency("b", "a") + dependency("c", "b"),
    { ancestor: 1 },
  ],
] as const)
  test(`[IM36] the import of Icinga 2 names differences by design: ${what}`, async (t) => {
    const imported = await importIcingaFiles(t, { "a.conf": objects });
    assert.deepEqual(designOf(imported), expected);
    assert.equal(imported.code, 0, imported.lines.join("\n"));
  });
