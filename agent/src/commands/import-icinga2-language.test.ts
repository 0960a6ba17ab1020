import assert from "node:assert/strict";
import { symlinkSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { icingaSite, importIcinga, importIcingaFiles, importRemarks } from "./import/icinga-sources.fixture.ts";
import { type SourceFiles, writeSources } from "./import/import-run.fixture.ts";

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
  ["get_host(host.vars.next).vars.size == 20", ["a"]],
  ['get_object(Host, "b").vars.size == 20 && get_host("none") == null', ["a", "b", "c"]],
  ['SysconfDir + "/x" == "/etc/x" && NodeName', ["a", "b", "c"]],
  ["{{ true }} && false", []],
  ["hots.name", []],
];

test("[IM13] apply rules select by the expressions of the language", async (t) => {
  const rules = filters.map(
    ([filter], at) => `apply Service "${at}" { check_command = "passive"\n assign where ${filter}\n }\n`,
  );
  const three = `
object Host "a" { check_command = "dummy"; address = "192.0.2.1"; vars.tags = [ "x", "y" ]; vars.size = 10; vars.next = "b" }
object Host "b" { check_command = "dummy", address = "192.0.2.2", vars = { tags = [ "x" ], size = 20 } }
object Host "c" {
  check_command = "dummy"
  address = "192.0.2.200"
  vars.disk["main"] = { free = "1" + 2 } // a text
  # nothing else
}
`;
  const folder = writeSources(t, { "a.conf": three, "b.conf": rules.join("") });
  const imported = await importIcinga(folder, [folder]);
  const hosts = imported.cue.split(/(?= [abc]: \{ address)/).slice(1);
  const selected = filters.map(([filter], at) => [
    filter,
    hosts.flatMap((text) => (text.includes(` "${at}": {`) ? [text[1]] : [])),
  ]);
  assert.deepEqual(selected, filters);
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
  const imported = await importIcingaFiles(t, icingaSite(lossy));
  assert.equal(imported.code, 3);
  assert.deepEqual(
    importRemarks(imported).filter((line) => line.startsWith("conf.d/zz-more.conf")),
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
  assert.equal((await importIcingaFiles(t, icingaSite(lossy), ["-lenient"])).code, 0);
});

const broken: readonly [what: string, files: SourceFiles, line: RegExp][] = [
  [
    "a missing file",
    { "icinga2.conf": '\ninclude "gone.conf"\n' },
    /icinga2\.conf:2: .*cannot read gone\.conf: no such file or directory$/m,
  ],
  [
    "a missing folder",
    { "icinga2.conf": 'include_recursive "gone"\n' },
    /icinga2\.conf:1: .*cannot read the folder gone$/m,
  ],
  ["an open brace", { "a.conf": '\nobject Host "a" {\n' }, /a\.conf:2: .*the block has no closing brace$/m],
  ["an object without a name", { "a.conf": "object Host { }\n" }, /a\.conf:1: .*the object has no name$/m],
  ["an open string", { "a.conf": 'const A = "x\n' }, /a\.conf:1: .*the string has no closing quote$/m],
  ["an open comment", { "a.conf": "\n/* x" }, /a\.conf:2: .*the comment has no closing \*\/$/m],
  [
    "a missing value",
    { "a.conf": 'object Host "a" {\n address =\n}\n' },
    /a\.conf:3: .*expected a value, found "\}"$/m,
  ],
  [
    "an unknown template",
    { "a.conf": 'object Host "a" {\n import "x"\n}' },
    /a\.conf:2: .*the Host imports "x", which is not/,
  ],
  [
    "a template that imports itself",
    { "a.conf": 'template Host "t" { import "t" }\nobject Host "a" { import "t" }\n' },
    /a\.conf:1: .*a template imports itself/,
  ],
  [
    "an object that is declared twice",
    { "a.conf": 'object Host "a" { }\nobject Host "a" { }\n' },
    /a\.conf:2: .*the Host "a" is declared twice: also at a\.conf:1$/m,
  ],
];
for (const [what, files, line] of broken)
  test(`[IM17] ${what} of Icinga 2 is reported with its place, and the rest is imported`, async (t) => {
    const { code, lines, items } = await importIcingaFiles(t, files);
    assert.equal(code, 3, lines.join("\n"));
    assert.match(lines.join("\n"), line);
    assert.ok(items.some(({ outcome }) => outcome === "unsupported"));
  });

test("[IM5] a main file of Icinga 2 that cannot be parsed ends the import with code 1 and the place", async (t) => {
  const { code, lines } = await importIcingaFiles(t, { "icinga2.conf": "\nobject Host {{{\n" });
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /icinga2\.conf:2: the text has no closing \}\}\}$/);
});

test("[IM6] an import of the same files of Icinga 2 gives the same document", async (t) => {
  assert.equal(
    (await importIcingaFiles(t, icingaSite(lossy))).cue,
    (await importIcingaFiles(t, icingaSite(lossy))).cue,
  );
});

test("[IM28] files of the template library give commands; what is known here wins over them", async (t) => {
  const folder = writeSources(t, {
    "icinga2.conf":
      'include <itl>\ninclude <plugins>\ninclude <plugins-contrib>\nif (true) { include "more/*.conf" }\n',
    "more/a.conf":
      'if (true) { object Host "a" { address = "192.0.2.1"; check_command = "contrib"; vars.contrib_name = "x" } }\n',
    "more/b.conf": 'apply Service "s" { check_command = "ssh"\n assign where host.address }\n',
    "library/plugins": 'object CheckCommand "ssh" { command = [ "/wrong" ] }\n',
    "library/plugins-contrib": 'include_recursive "plugins-contrib.d"\n',
    "library/plugins-contrib.d/x.conf":
      'object CheckCommand "contrib" { command = [ PluginContribDir + "/check_x" ]\n arguments = { "-n" = "$contrib_name$" } }\n' +
      'object CheckCommand "unused" { command = [ "/x" ] }\n',
  });
  const main = `${folder}/icinga2.conf`;
  const imported = await importIcinga(folder, [main, "-include", `${folder}/library`]);
  assert.deepEqual(importRemarks(imported), []);
  assert.match(imported.cue, /contrib: \{ line: "\$USER1\$\/check_x -n \$ARG1\$" \}/);
  assert.doesNotMatch(imported.cue, /wrong|unused/);
  const without = await importIcinga(folder, [main, "-include", `${folder}/none`]);
  assert.ok(importRemarks(without).some((remark) => /plugins-contrib does not exist: .* with -include$/.test(remark)));
});

test("[IM5] a main file that is missing or a loop of links ends the import with code 1 and the reason", async (t) => {
  const folder = writeSources(t, {});
  symlinkSync(join(folder, "loop"), join(folder, "loop"));
  const missing = await importIcinga(folder, [join(folder, "gone")]);
  assert.deepEqual([missing.code, missing.lines], [1, ["gone:1: cannot be read: no such file or directory"]]);
  const loop = await importIcinga(folder, [join(folder, "loop")]);
  assert.deepEqual([loop.code, loop.lines], [1, ["loop:1: cannot be read: too many symbolic links"]]);
});
