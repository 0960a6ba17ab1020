import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { compilePlan } from "@realmwatch/shared/config/compile/compile-plan";
import { lintPlan } from "@realmwatch/shared/config/lint/lint-plan";
import { isChecked, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { SubCommand } from "@realmwatch/shared/platform/process/run-program";
import { type Company, refusedFile } from "./import/companies/company.fixture.ts";
import { icingaShop } from "./import/companies/icinga-shop.fixture.ts";
import { naemonUniversity } from "./import/companies/naemon-university.fixture.ts";
import { nagiosHoster } from "./import/companies/nagios-hoster.fixture.ts";
import { type Imported, runImport, writeSources } from "./import/import-run.fixture.ts";
import { importIcinga2SubCommand } from "./import-icinga2.ts";
import { importNagiosSubCommand } from "./import-nagios.ts";

const hostCount = 60;

const isInstalled = (program: string): boolean => spawnSync(program, ["--version"]).error === undefined;

/** Makes the list that Nagios itself has of its objects. */
function listOfNagios(folder: string, main: string): string {
  const { username } = userInfo();
  const peer = join(folder, "peer.cfg");
  const options = readFileSync(join(folder, main), "utf8").replace(`cfg_file=${refusedFile}\n`, "");
  writeFileSync(peer, `${options}nagios_user=${username}\nnagios_group=${username}\n`);
  const { status, stdout } = spawnSync("/usr/sbin/nagios4", ["-pv", peer], { encoding: "utf8", cwd: folder });
  assert.equal(status, 0, stdout);
  return join(folder, "objects.precache");
}

/** Makes the list that Icinga 2 itself has of its objects; it may read and write as another user. */
function listOfIcinga(folder: string, main: string): string {
  const cache = join(folder, "cache");
  mkdirSync(cache);
  for (const path of [folder, cache]) chmodSync(path, 0o777);
  const define = `-DConfiguration.CacheDir=${cache}`;
  const checked = spawnSync(
    "/usr/sbin/icinga2",
    ["daemon", "-C", "-c", join(folder, main), define, `-DConfiguration.InitRunDir=${cache}`],
    { encoding: "utf8" },
  );
  assert.equal(checked.status, 0, checked.stdout);
  const list = join(folder, "objects.list");
  const { stdout } = spawnSync("/usr/sbin/icinga2", ["object", "list", define], {
    encoding: "utf8",
    maxBuffer: 2 ** 28,
  });
  writeFileSync(list, stdout);
  return list;
}

/** Numbers of checks by type and interval, and of recipients, in a document. */
function figuresOf({ objects, contacts, dependencies, policies }: RealmPlan): object {
  const checked = [...objects.values()].filter(isChecked);
  const count = (textOf: (object: (typeof checked)[number]) => string) =>
    Object.fromEntries(
      [...Map.groupBy(checked, textOf)]
        .map(([text, of]) => [text, of.length] as const)
        .toSorted(([a], [b]) => (a < b ? -1 : 1)),
    );
  return {
    ...count(({ key }) => `${key.kind}s`),
    ...count(({ check, schedule }) => `${check.type} every ${schedule.checkIntervalMs / 60_000} m`),
    ...count(
      ({ policy }) =>
        `by ${
          policies
            .get(policy)
            ?.levels.map((level) => level.contacts.join("+"))
            .join(" then ") ?? "none"
        }`,
    ),
    contacts: [...contacts.keys()].join(" "),
    dependencies: dependencies.length,
  };
}

/** Number of findings of each kind, without remarks that report no loss and without the parts that differ by object. */
const findingsOf = ({ items }: Imported): Readonly<Record<string, number>> => {
  const design = items
    .filter(({ kind }) => kind === "design")
    .map(({ name, why }) => [`design ${name}`, Number(/: (\d+); see /.exec(why)?.[1])] as const);
  const texts = items
    .filter(({ outcome, kind }) => outcome !== "converted" && kind !== "difference" && kind !== "design")
    .map(
      ({ kind, outcome, why }) => `${outcome} ${kind}: ${why.replace(/^\S+ is defined twice: .*/, "defined twice")}`,
    );
  const counts = [...Map.groupBy(texts, (text) => text)].map(([text, of]) => [text, of.length] as const);
  return Object.fromEntries([...design, ...counts]);
};

type Expected = { readonly figures: object; readonly findings: Readonly<Record<string, number>> };
type Peer = { readonly program: string; readonly package: string; list(folder: string, main: string): string };

const nagios: Peer = { program: "/usr/sbin/nagios4", package: "nagios4-core", list: listOfNagios };
const icinga: Peer = { program: "/usr/sbin/icinga2", package: "icinga2-bin", list: listOfIcinga };

const companies: readonly (readonly [company: Company, command: SubCommand, peer: Peer, expected: Expected])[] = [
  [
    nagiosHoster(hostCount),
    importNagiosSubCommand,
    nagios,
    {
      figures: {
        hosts: 64,
        services: 564,
        "command every 360 m": 60,
        "command every 5 m": 568,
        "by ann+bob": 69,
        "by ann+bob then boss": 4,
        "by ann+bob-critical-unreachable": 519,
        "by ann+bob-critical-unreachable+eve+eve-2 then boss+eve+eve-2": 36,
        contacts: "ann bob eve eve-2 boss bob-critical-unreachable",
        dependencies: 13,
      },
      findings: {
        "approximated option: left out: start the agent with -command-file": 1,
        "design repetition": 5,
        "design soft_again": 564,
        "design unreachable_host": 60,
        "unsupported file: the definition has no closing brace": 1,
        'unsupported host: the host uses "lnux", which is not defined': 1,
        "unsupported option: left out: performance data goes to a sink: declare one": 1,
        "unsupported option: left out: results go to a sink: declare one": 1,
        "unsupported option: left out: modules cannot be loaded: a sink of events or results has what they get": 1,
        "approximated contact: mails have Realmwatch's own text instead of the one of notify-by-email": 4,
        "approximated contact: a contact has one command: it became eve, eve-2": 1,
        "approximated host: notes_url is kept as a variable": 4,
        "approximated hostgroup: no host is in it": 1,
        "approximated service: defined twice": 6,
        "approximated service: notes is kept as a variable": 6,
        "approximated service: check_freshness is left out: an active check that is late is marked as overdue": 1,
        "approximated service: freshness_threshold is left out: an active check that is late is marked as overdue": 1,
        "approximated service: the first notification is not delayed: raise max_attempts instead": 1,
        "unsupported service: parents is left out: a service depends on its host alone: declare a dependency for a service": 1,
        'unsupported command: command "check_license": line names the macro $USER9$, which resources do not declare': 1,
      },
    },
  ],
  [
    naemonUniversity(hostCount),
    importNagiosSubCommand,
    nagios,
    {
      figures: {
        hosts: 61,
        services: 445,
        "command every 1 m": 16,
        "command every 5 m": 308,
        "command every 60 m": 180,
        "passive every 5 m": 2,
        "by ann+bob": 61,
        "by ann+bob-critical-unreachable": 415,
        "by ann+bob-critical-unreachable then boss then ann+bob-critical-unreachable": 12,
        "by ann+bob-critical-unreachable+eve+eve-2": 18,
        contacts: "ann bob eve eve-2 boss bob-critical-unreachable",
        dependencies: 1,
      },
      findings: {
        "approximated option: left out: start the agent with -command-file": 1,
        "design passive_attempts": 2,
        "design passive_host": 2,
        "design repetition": 4,
        "design soft_again": 445,
        "design unreachable_host": 60,
        "approximated contact: mails have Realmwatch's own text instead of the one of notify-by-email": 5,
        "approximated contact: a contact has one command: it became eve, eve-2": 1,
        "approximated host: a result that is overdue becomes UNKNOWN; check_command is not executed": 2,
        "unsupported service: is_volatile is left out: a problem that repeats is notified after renotify_interval": 1,
        "unsupported service: stalking_options is left out: every change of the output is in the log of a sink of events": 1,
      },
    },
  ],
  [
    icingaShop(hostCount),
    importIcinga2SubCommand,
    icinga,
    {
      figures: {
        hosts: 64,
        services: 471,
        "command every 15 m": 60,
        "command every 5 m": 399,
        "icmp every 5 m": 64,
        "tcp every 5 m": 12,
        "by ann+bob": 64,
        "by ann+bob-critical-unreachable": 445,
        "by ann+bob-critical-unreachable then ann+bob-critical-unreachable+oncall-critical-unreachable": 26,
        contacts: "ann bob bob-critical-unreachable oncall-critical-unreachable",
        dependencies: 60,
      },
      findings: {
        "design hard_behind_host": 471,
        "design soft_parent": 60,
        "approximated NotificationCommand: mails have Realmwatch's own text instead of the one of the command": 1,
        "approximated Host: vars.vhosts is kept as JSON text": 12,
        "approximated Host: vars.disks is kept as JSON text": 12,
      },
    },
  ],
];

for (const [company, command, peer, expected] of companies) {
  test(`[IM34] ${company.name} becomes a document with fewer lines, the same objects and no warning`, async (t) => {
    const folder = writeSources(t, company.files);
    const library = company.library === undefined ? [] : ["-include", writeSources(t, company.library)];
    const imported = await runImport(command, folder, [join(folder, company.main), ...library]);
    assert.deepEqual(findingsOf(imported), expected.findings);
    const lines = (text: string): number => text.split("\n").length;
    const sourceLines = Object.values(company.files).reduce((sum, text) => sum + lines(text), 0);
    assert.ok(lines(imported.written) < sourceLines, `${lines(imported.written)} of ${sourceLines}`);
    const compiled = compilePlan(imported.document, { realm: "default", localZone: "UTC" });
    assert.ok(compiled.ok);
    assert.deepEqual(figuresOf(compiled.value), expected.figures);
    const options = { nowMs: Date.UTC(2026, 0, 1), exists: () => true };
    assert.deepEqual(
      lintPlan(compiled.value, options).map(({ message }) => message),
      [],
    );
  });

  const skip = isInstalled(peer.program) ? false : `${peer.program} is not installed (Debian: ${peer.package})`;
  test(`[IM34] ${company.name} has no difference from what the other system has`, { skip }, async (t) => {
    const folder = writeSources(t, company.files);
    const list = peer.list(folder, company.main);
    const { items } = await runImport(command, folder, [join(folder, company.main), "-verify", list]);
    const differences = items.filter(({ kind }) => kind === "difference");
    assert.deepEqual(
      differences.slice(0, 9).map(({ name, why }) => `${name}: ${why}`),
      [],
    );
    if (command !== importIcinga2SubCommand) return;
    const ofList = await runImport(command, folder, ["-objects", list, "-verify", list]);
    const found = ofList.items.filter(({ kind }) => kind === "difference");
    assert.deepEqual(found.slice(0, 9), []);
  });
}
