import assert from "node:assert/strict";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { loadPlan } from "@realmwatch/shared/load/load-document";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { ImportItem } from "../import/import-report.ts";
import { importNagiosSubCommand } from "../import-nagios.ts";
import { runSubCommand } from "../run-sub-command.fixture.ts";
import { importNagiosFiles, nagiosBase, writeNagiosSite } from "./nagios-import.fixture.ts";

test("[IM31, IM32] a folder has a file a subject, comments of the sources, and nothing that is unused", async (t) => {
  const folder = writeNagiosSite(t, { "objects/a.cfg": `# Both are in the cellar.\n\n${nagiosBase}` });
  const out = join(folder, "realm/");
  const run = () =>
    runSubCommand(importNagiosSubCommand, [join(folder, "nagios.cfg"), "-out", out, "-report", `${out}report.json`]);
  assert.equal((await run()).code, 0);
  const files = [
    "commands.cue",
    "contacts.cue",
    "groups.cue",
    "hosts.cue",
    "periods.cue",
    "policies.cue",
    "services.cue",
  ];
  assert.deepEqual(readdirSync(out).toSorted(), [...files, "report.json"].toSorted());
  const commands = readFileSync(join(out, "commands.cue"), "utf8");
  assert.match(commands, /\t\/\/ Both are in the cellar\.\n\tcheck_ping: line: /);
  assert.doesNotMatch(commands, /\tmail: /);
  const items = JSON.parse(readFileSync(join(out, "report.json"), "utf8")) as readonly ImportItem[];
  assert.deepEqual(
    items.filter(({ why }) => why.startsWith("nothing uses")).map(({ kind, name }) => `${kind} ${name}`),
    ["command mail"],
  );
  const loaded = await loadPlan({
    source: { kind: "path", path: out },
    options: { realm: "default", localZone: "UTC" },
    clock: systemClock,
  });
  assert.ok(loaded.ok);
  writeFileSync(join(out, "downtimes.cue"), "");
  const { code, stderr } = await run();
  assert.equal(code, 1);
  assert.match(stderr, /realm\/downtimes\.cue: is not of this import: remove it/);
});

test("[IM32] an unused command that cannot be converted is not reported as a loss", async (t) => {
  const perfdata = "define command{\ncommand_name perfdata\ncommand_line echo $HOSTOUTPUT$ >> /tmp/x\n}\n";
  const { code, items } = await importNagiosFiles(t, { "objects/a.cfg": nagiosBase, "objects/b.cfg": perfdata });
  const of = items.filter(({ name }) => name === "perfdata").map(({ outcome, why }) => `${outcome}: ${why}`);
  assert.deepEqual([code, ...of], [0, "converted: nothing uses it, so it is not in the document"]);
});

test("[IM33] a policy is named by its contacts, its period and what follows", async (t) => {
  const objects = `
define hostescalation{
  host_name gw
  first_notification 4
  contacts bob
}
define service{
  host_name web1
  service_description Own
  check_command check_ping!1!2
  notification_period always
  notification_options c,r
}
`;
  const { cue } = await importNagiosFiles(t, { "objects/a.cfg": nagiosBase, "objects/b.cfg": objects });
  const names = [...cue.matchAll(/^\t(\w+): \{\n(?:\t\tperiod.*\n)?\t\tlevels/gm)].map(([, name]) => name);
  assert.deepEqual(names, ["admins_after_3", "ann_bob", "ann_bob_always_no_warnings"]);
});
