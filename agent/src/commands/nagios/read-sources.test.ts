import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { type TestContext, test } from "node:test";
import { type Imported, runImport } from "../import/import-run.fixture.ts";
import { importNagiosSubCommand } from "../import-nagios.ts";
import { importNagiosFiles, nagiosRemarks, writeNagiosSite } from "./nagios-import.fixture.ts";

const command = "define command{\ncommand_name up\ncommand_line /bin/true\n}\n";
const host = (name: string, more = ""): string => `define host{\nhost_name ${name}\ncheck_command up\n${more}}\n`;
const service = (attempts: number): string =>
  `define service{\nhost_name web1\nservice_description S\ncheck_command up\nmax_check_attempts ${attempts}\n}\n`;
const base = `${command}${host("web1")}`;

/** Findings about losses, without the folder of the sources. */
const remarksOf = (imported: Imported): readonly string[] =>
  nagiosRemarks(imported).map((remark) => remark.replaceAll(/\/\S*\/import-\w+\//g, ""));
const hostsOf = ({ document }: { readonly document: object }): readonly string[] =>
  Object.keys((document as { hosts: object }).hosts).toSorted();

async function attemptsWith(t: TestContext, main: string, files: Readonly<Record<string, string>>): Promise<number> {
  const { document } = await importNagiosFiles(t, { "nagios.cfg": main, "base.cfg": base, ...files });
  const { hosts } = document as { hosts: { web1: { services: { S: { check: { max_attempts: number } } } } } };
  return hosts.web1.services.S.check.max_attempts;
}

test("[IM35] object files include others in their place, and folders with links to others", async (t) => {
  const folder = writeNagiosSite(t, {
    "objects/a.cfg": `${command}include_file=more/a.cfg\ninclude_dir=more/d\n${host("last")}`,
    "more/a.cfg": `${host("first")}include_file=objects/b.cfg\n`,
    "objects/b.cfg": "",
    "more/d/in/x.cfg": host("deep"),
    "more/d/.hidden.cfg": host("hidden"),
    "more/d/.git/x.cfg": host("hidden2"),
    "more/d/x.txt": host("text"),
    "linked/x.cfg": host("linked"),
  });
  symlinkSync(join(folder, "linked"), join(folder, "more/d/link"));
  symlinkSync(join(folder, "more/d"), join(folder, "more/d/circle"));
  const imported = await runImport(importNagiosSubCommand, folder, [join(folder, "nagios.cfg")]);
  assert.equal(imported.code, 0, imported.lines.join("\n"));
  assert.deepEqual(hostsOf(imported), ["deep", "first", "last", "linked"]);
});

test("[IM35] main files of Naemon include others; files that include each other end with a finding", async (t) => {
  const imported = await importNagiosFiles(t, {
    "nagios.cfg": "include_dir=module-conf.d\n",
    "module-conf.d/a.cfg": "cfg_file=a.cfg\nenable_flap_detection=1\n",
    "module-conf.d/b.cfg": "include_file=module-conf.d/b.cfg\nuse_timezone=Europe/Berlin\n",
    "a.cfg": `${base}include_file=b.cfg\n`,
    "b.cfg": "include_file=b.cfg\n",
  });
  assert.deepEqual(hostsOf(imported), ["web1"]);
  assert.match(imported.cue, /^timezone: "Europe\/Berlin"$/m);
  assert.deepEqual(remarksOf(imported), [
    "file b.cfg: unsupported: cannot read b.cfg: it is included already",
    "file module-conf.d/b.cfg: unsupported: cannot read module-conf.d/b.cfg: it is included already",
  ]);
});

for (const [what, main, expected] of [
  ["the file that is named last", "cfg_file=base.cfg\ncfg_file=d1/1.cfg\ncfg_file=d2/2.cfg\n", 2],
  ["a file before a folder", "cfg_file=base.cfg\ncfg_file=d1/1.cfg\ncfg_dir=d2\n", 1],
  ["the folder that is named last", "cfg_file=base.cfg\ncfg_dir=d1\ncfg_dir=d2\n", 2],
] as const)
  test(`[IM22] of definitions in several files that of ${what} counts, as in Nagios`, async (t) =>
    assert.equal(await attemptsWith(t, main, { "d1/1.cfg": service(1), "d2/2.cfg": service(2) }), expected));

test("[IM22] of several hosts and templates with one name the first counts; each other one has a finding", async (t) => {
  const template = (attempts: number) => `define host{\nname t\nmax_check_attempts ${attempts}\nregister 0\n}\n`;
  const text = `${base}${host("web1", "address 192.0.2.9\n")}${template(4)}${template(5)}${host("web2", "use t\n")}`;
  const imported = await importNagiosFiles(t, { "objects/a.cfg": text });
  assert.match(imported.cue, /web1: \{\n\t\taddress: "web1"/);
  assert.match(imported.cue, /max_attempts: 4/);
  assert.deepEqual(remarksOf(imported), [
    "host web1: unsupported: web1 is defined twice: the definition at objects/a.cfg:5 counts",
    "host t: unsupported: t is defined twice: the definition at objects/a.cfg:14 counts",
  ]);
});

test("[IM1] the time limit of a check that Naemon has for one object is the one of its check", async (t) => {
  const { cue } = await importNagiosFiles(t, { "objects/a.cfg": `${command}${host("web1", "check_timeout 90\n")}` });
  assert.match(cue, /timeout: +"90s"/);
});
