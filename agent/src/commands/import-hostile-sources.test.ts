import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { importIcinga, importIcingaFiles } from "./import/icinga-sources.fixture.ts";
import { type Imported, runImport, type SourceFiles, writeSources } from "./import/import-run.fixture.ts";
import { importIcinga2SubCommand } from "./import-icinga2.ts";
import { importNagiosSubCommand } from "./import-nagios.ts";

/** Time in which an import must end, ms. */
const timeout = 60_000;

const many = 100_000;
const each = (count: number, text: (at: number) => string): string =>
  Array.from({ length: count }, (_, at) => text(at)).join("\n");

const importNagios = (t: TestContext, files: SourceFiles): Promise<Imported> => {
  const folder = writeSources(t, { "nagios.cfg": "cfg_file=a.cfg\n", ...files });
  return runImport(importNagiosSubCommand, folder, [join(folder, "nagios.cfg")]);
};

/** Asserts that the import reports a place and a limit, and keeps the host that has nothing to do with it. */
function assertLeftOut({ code, items, cue }: Imported, finding: RegExp): void {
  const findings = items.filter(({ outcome }) => outcome === "unsupported");
  const lines = findings.map(
    ({ source: { file, line }, kind, name, why }) => `${file}:${line}: ${kind} ${name}: ${why}`,
  );
  assert.equal(code, 3);
  assert.ok(
    lines.some((line) => finding.test(line)),
    lines.slice(0, 20).join("\n"),
  );
  assert.match(cue, /\bgood: \{/);
}

const nagiosHost = "define host {\nhost_name good\naddress 192.0.2.1\n}\n";
const nagiosAttacks: readonly [what: string, text: string, finding: RegExp][] = [
  [
    "templates that each use two",
    each(300, (at) => `define host {\nname t${at}\nuse t${at + 1},t${at + 1}\nregister 0\n}`) +
      "\ndefine host {\nhost_name bad\nuse t0\n}\n",
    /a\.cfg:\d+: host bad: the host has more than 100 templates above one another/,
  ],
  [
    "values that double with each template",
    `define host {\nname t0\n_V +x\nregister 0\n}\n${each(40, (at) => `define host {\nname t${at + 1}\nuse t${at},t${at}\n_V +x\nregister 0\n}`)}
define host {\nhost_name bad\nuse t40\n}\n`,
    /a\.cfg:\d+: host .*: _V has more than 65536 characters with those of its templates/,
  ],
  [
    "a long chain of templates",
    `define host {\nhost_name bad\nuse t0\n}\n${each(many, (at) => `define host {\nname t${at}\nuse t${at + 1}\nregister 0\n}`)}`,
    /a\.cfg:\d+: host bad: the host has more than 100 templates above one another/,
  ],
  [
    "a long chain of groups",
    // Each becomes a view; a reader that calls itself for each one would fail with so many.
    each(20_000, (at) => `define hostgroup {\nhostgroup_name g${at}\nhostgroup_members g${at + 1}\n}`),
    /a\.cfg:\d+: hostgroup g\d+: groups in it are left out: more than 100 contain each other/,
  ],
  [
    "services on every host",
    // All make the same services, so that the document that is evaluated is small.
    each(500, (at) => `define host {\nhost_name h${at}\n}`) +
      each(1_500, () => "\ndefine service {\nhost_name *\nservice_description s\n}"),
    /a\.cfg:\d+: service \*!s: it is left out: lists and groups make more than \d+ objects in all/,
  ],
  [
    "braces in braces",
    `${"define host {\n".repeat(many)}`,
    /a\.cfg:\d+: file .*a\.cfg: a definition begins within another one/,
  ],
  [
    "lines on which expressions backtrack",
    `define timeperiod {\ntimeperiod_name p\n${"a ".repeat(many)}\n${" ".repeat(many)}x${" ".repeat(many)}\u2028\n}
${" ".repeat(many)}a${" ".repeat(many)}\u2028;;;;\n`,
    /a\.cfg:\d+: file .*: expected "define TYPE/,
  ],
];
for (const [what, text, finding] of nagiosAttacks)
  test(`[IM18] ${what} of Nagios end with a finding that has the place and the limit`, { timeout }, async (t) =>
    assertLeftOut(await importNagios(t, { "a.cfg": nagiosHost + text }), finding),
  );

const deep = (open: string, close: string): string => `const X = ${open.repeat(many)}1${close.repeat(many)}\n`;
const icingaAttacks: readonly [what: string, text: string, finding: RegExp][] = [
  ["parentheses in parentheses", deep("(", ")"), /a\.conf:1: .*nested more than 100 levels deep/],
  ["arrays in arrays", deep("[", "]"), /a\.conf:1: .*nested more than 100 levels deep/],
  ["dictionaries in dictionaries", deep("{ a = ", " }"), /a\.conf:1: .*nested more than 100 levels deep/],
  ["signs one after the other", deep("!", ""), /a\.conf:1: .*nested more than 100 levels deep/],
  [
    "blocks in blocks",
    `${"if (true) {\n".repeat(many)}${"}\n".repeat(many)}`,
    /a\.conf:\d+: .*nested more than 100 levels/,
  ],
  ["operators one after the other", `const X = ${"1 + ".repeat(many)}1\n`, /a\.conf:1: .*more than 500 operators/],
  ["a long chain of attributes", `const X = a${".b".repeat(many)}\n`, /a\.conf:1: .*more than 500 operators/],
  [
    "templates that each import two",
    `${each(90, (at) => `template Host "t${at}" { import "t${at + 1}"; import "t${at + 1}" }`)}
template Host "t90" { }\nobject Host "bad" { import "t0" }\n`,
    /a\.conf:\d+: .*evaluated more than \d+ steps: the rest is left out/,
  ],
  [
    "a long chain of templates",
    `object Host "bad" { import "t0" }\n${each(many, (at) => `template Host "t${at}" { import "t${at + 1}" }`)}`,
    /a\.conf:\d+: .*nested more than 100 levels deep/,
  ],
  [
    "texts that double",
    `globals.x = "x"\nfor (i in range(100)) { globals.x = globals.x + globals.x }\n`,
    /a\.conf:2: .*the value has more than 65536 characters or elements/,
  ],
  [
    "texts that are replaced by longer ones",
    `globals.x = "aaaaaaaaaa"\nfor (i in range(100)) { globals.x = globals.x.replace("a", globals.x) }\n`,
    /a\.conf:2: .*(the value has more than 65536 characters|evaluated more than)/,
  ],
  [
    "arrays of arrays that are shared",
    `globals.x = [ 1 ]\nfor (i in range(90)) { globals.x = [ globals.x, globals.x ] }\nconst Y = string(globals.x)\n`,
    /a\.conf:3: .*a value has more than 100000 values in it/,
  ],
  [
    "a dictionary that contains itself",
    `object Host "bad" { vars.a = {}; vars.a.b = vars.a }\n`,
    /a\.conf:1: .*a value contains itself, or is nested more than 100 levels deep/,
  ],
  [
    "loops in loops",
    `for (a in range(50000)) { for (b in range(50000)) { for (c in range(50000)) { } } }\n`,
    /a\.conf:1: .*evaluated more than \d+ steps/,
  ],
  [
    "rules that make objects of objects",
    `${each(400, (at) => `object Host "h${at}" { }`)}
apply Notification "n" for (i in range(1000)) to Host { command = "none" }\n`,
    /a\.conf:\d+: .*more than \d+ objects: the rest is left out/,
  ],
  [
    "expressions that backtrack for ever",
    `const A = "${"a".repeat(60)}b"\nconst B = regex("^(a+)+$", A)\nobject Host "bad" { vars.x = regex("(a)\\\\1+$", A) }\n`,
    /a\.conf:3: Host bad: vars\.x is left out: the expression .* is not understood/,
  ],
  [
    "wildcards in every folder",
    `include "/*/*/*/*/*/*/*/*"\n`,
    /a\.conf:1: .*more than 3 parts of the path have wildcards/,
  ],
];
for (const [what, text, finding] of icingaAttacks)
  test(`[IM18] ${what} of Icinga 2 end with a finding that has the place and the limit`, { timeout }, async (t) =>
    assertLeftOut(await importIcingaFiles(t, { "a.conf": text, "0.conf": 'object Host "good" { }\n' }), finding),
  );

test("[IM18] a list of objects whose values are nested without end is refused", { timeout }, async (t) => {
  const deepList = each(5_000, (at) => `${" ".repeat(2 + 2 * at)}* k`);
  const folder = writeSources(t, { "list.txt": `Object 'a' of type 'Host':\n${deepList}\n` });
  const { code, lines } = await importIcinga(folder, ["-objects", join(folder, "list.txt")]);
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /list\.txt:\d+: nested more than 100 levels deep/);
});

test("[IM18] folders whose links make circles are read once", { timeout }, async (t) => {
  const folder = writeSources(t, { "conf.d/a.conf": 'object Host "good" { }\n' });
  for (const name of ["x", "y", "z"]) symlinkSync(".", join(folder, "conf.d", name));
  const imported = await importIcinga(folder, [join(folder, "conf.d")]);
  assert.match(imported.cue, /good: \{/);
});

const secret = "s3cr3t-0815";
const foreignFiles: readonly string[] = [
  `root:$6$${secret}:19000:0:99999:7:::\nbin:*:${secret}\n`,
  `${secret.replaceAll("-", "_")}\n`,
  `PASSWORD=${secret}\nTOKEN = "${secret}"\n`,
  `password: ${secret}\n- "${secret}"\n`,
  `{"password": "${secret}"}\n`,
  `-----BEGIN PRIVATE KEY-----\n${secret}/+==\n`,
  `"${secret}"\n[ "${secret}" ]\nx("${secret}")\n`,
  `\u0000${secret}\u0000`,
];
for (const text of foreignFiles) {
  test(`[IM19] a file without configuration is not quoted: ${JSON.stringify(text)}`, async (t) => {
    const main = ["cfg_file=foreign", "resource_file=foreign", "cfg_file=a.cfg", ""].join("\n");
    const nagios = await importNagios(t, { "nagios.cfg": main, "a.cfg": nagiosHost, foreign: text });
    const files = { "icinga2.conf": 'include "foreign"\ninclude "a.conf"\n', "a.conf": 'object Host "good" { }\n' };
    const icinga = await importIcingaFiles(t, { ...files, foreign: text });
    for (const imported of [nagios, icinga]) {
      assert.match(imported.cue, /\bgood: \{/);
      assert.doesNotMatch(JSON.stringify(imported), /s3cr3t/);
    }
  });
  test(`[IM19] a file without a list of objects is not quoted: ${JSON.stringify(text)}`, async (t) => {
    const folder = writeSources(t, { foreign: text });
    const { code, lines } = await importIcinga(folder, ["-objects", join(folder, "foreign")]);
    assert.equal(code, 1);
    assert.doesNotMatch(lines.join("\n"), /s3cr3t/);
  });
}

test("[IM19] pipes and devices are not read", { timeout }, async (t) => {
  const folder = writeSources(t, { "a.conf": 'object Host "good" { }\n', "a.cfg": nagiosHost });
  execFileSync("mkfifo", [join(folder, "pipe")]);
  writeFileSync(join(folder, "icinga2.conf"), 'include "pipe"\ninclude "/dev/zero"\ninclude "a.conf"\n');
  writeFileSync(join(folder, "nagios.cfg"), "cfg_file=pipe\ncfg_file=/dev/zero\ncfg_file=a.cfg\n");
  for (const [command, main] of [
    [importIcinga2SubCommand, "icinga2.conf"],
    [importNagiosSubCommand, "nagios.cfg"],
  ] as const) {
    const imported = await runImport(command, folder, [join(folder, main)]);
    assert.match(imported.lines.join("\n"), /cannot read pipe: it is not a regular file/);
    assert.match(imported.lines.join("\n"), /cannot read \/dev\/zero: it is not a regular file/);
    assert.match(imported.cue, /\bgood: \{/);
  }
});
