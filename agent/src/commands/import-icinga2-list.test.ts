import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { assertDocumentHas, importIcinga, importRemarks } from "./import/icinga-sources.fixture.ts";
import { writeSources } from "./import/import-run.fixture.ts";

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
  const imported = await importIcinga(folder, ["-objects", join(folder, "list.txt")]);
  assert.equal(imported.code, 3);
  assert.deepEqual(importRemarks(imported), [
    "/etc/icinga2/conf.d/hosts.conf:18 Host web: approximated: notes is kept as a variable",
    "/etc/icinga2/conf.d/hosts.conf:18 Host web: approximated: vars.disks is kept as JSON text",
    "/etc/icinga2/conf.d/hosts.conf:30 Host web: unsupported: volatile is left out: a problem that repeats is notified after renotify_interval",
  ]);
  assertDocumentHas(imported, [
    'web: { address: "192.0.2.1" labels: { "hostgroup.all": "yes" "hostgroup.linux": "yes" }',
    'NOTES: "two\\nlines" DISKS: "{\\"disk /\\":{\\"disk_partitions\\":\\"/\\"}}" OS: "Linux"',
    "own: { line: \"'/opt/check own' -H $ARG1$ $ARG2$\" }",
    'check: { type: "command" command: "own" args: ["192.0.2.1", "a"] check_interval: "5m"',
  ]);
});

test("[IM15] a file that is not a list of objects ends the import with code 1 and the place", async (t) => {
  const folder = writeSources(t, { "list.txt": "\nhello\n", "empty.txt": "" });
  const run = async (name: string) => (await importIcinga(folder, ["-objects", join(folder, name)])).lines.join("\n");
  assert.match(await run("list.txt"), /^list\.txt:2: expected "Object 'NAME' of type 'TYPE':"$/);
  assert.match(await run("empty.txt"), /^empty\.txt:1: has no object/);
  assert.match(await run("gone.txt"), /^gone\.txt: cannot be read: no such file or directory/);
});

test("[IM27] a document is compared with the output of icinga2 object list", async (t) => {
  const other = list.replace("check_interval = 60", "check_interval = 90");
  const folder = writeSources(t, { "list.txt": list, "other.txt": other });
  const differencesFrom = async (file: string) =>
    (await importIcinga(folder, ["-objects", join(folder, "list.txt"), "-verify", join(folder, file)])).items
      .filter(({ kind }) => kind === "difference")
      .map(({ name, why, source }) => `${source.file}:${source.line} ${name}: ${why}`);
  assert.deepEqual(await differencesFrom("list.txt"), []);
  assert.deepEqual(await differencesFrom("other.txt"), [
    "/etc/icinga2/conf.d/hosts.conf:18 host web: check_interval: 60 s in the document, 90 s in the list",
  ]);
});
