import assert from "node:assert/strict";
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, test } from "node:test";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { type LoadOptions, openLoader } from "@realmwatch/shared/load/load-document";
import { formatDiagnostic } from "@realmwatch/shared/model/diagnostic";
import { findCueProgram } from "@realmwatch/shared/platform/cue/engine/find-program";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { isRunning } from "@realmwatch/shared/platform/testing/is-running.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { runToEnd } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { cueScript, installedCue, needsCue } from "./cue-programs.ts";

const program = installedCue.ok ? installedCue.value : { path: "cue", version: "" };

const agentProgram = builtProgram("agent");
const loader = openLoader(systemClock);
const builtIn = openLoader(systemClock);
after(() => Promise.all([loader.close(), builtIn.close()]));

/** Documents that only one of the two versions accepts, and those whose errors CUE itself words or places otherwise. */
const differing = new Set(["good/comprehensions.cue", "broken/cue-embed.cue", "broken/cue-import-os.cue"]);

const samples = ["good", "broken", "demo", "lint"].flatMap((folder) =>
  readdirSync(new URL(`${folder}/`, import.meta.url), { withFileTypes: true })
    .filter((entry) => entry.isDirectory() || entry.name.endsWith(".cue"))
    .map(({ name }) => `${folder}/${name}`),
);

/** The plan without its hash, which depends on the order of fields; or the place of each problem. */
const comparable = (plan: RealmPlan): object => ({ ...plan, hash: "" });

if (!installedCue.ok) test("[RL13] samples give the same with an installed cue", needsCue, () => {});
for (const sample of installedCue.ok ? samples.filter((each) => !differing.has(each)) : [])
  test(`[RL13] ${sample} gives the same with an installed cue`, needsCue, async () => {
    const path = new URL(sample, import.meta.url).pathname;
    const profile = sample.startsWith("demo/") ? "demo" : undefined;
    const options = { realm: "default", localZone: "Europe/Berlin", profile } as const;
    const load = async (from: typeof loader, evaluator?: LoadOptions["evaluator"]): Promise<unknown> => {
      const loaded = await from.plan({ source: { kind: "path", path }, names: "base", options, evaluator });
      if (loaded.ok) return comparable(loaded.value.value);
      return loaded.error.map(({ file, line, column }) => `${file}:${line}:${column}`);
    };
    assert.deepEqual(await load(loader, { program, documentFolder: undefined }), await load(builtIn));
  });

type Checked = { readonly code: number | null; readonly lines: readonly string[] };

/** Runs `-check-config` in a folder. */
async function check(folder: string, config: string, flags: readonly string[] = []): Promise<Checked> {
  const { code, stdout, stderr } = await runToEnd([...agentProgram, "-check-config", "-config", config, ...flags], {
    cwd: folder,
  });
  return { code, lines: (stdout + stderr).trim().split("\n") };
}

function write(folder: string, files: Readonly<Record<string, string>>): string {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(join(folder, name, ".."), { recursive: true });
    writeFileSync(join(folder, name), text);
  }
  return folder;
}

const module_ = 'module: "ops.example/monitoring"\nlanguage: version: "v0.14.0"\n';
const todays = `@extern(embed)

package monitoring

import "ops.example/monitoring/racks"

_more: _ @embed(file=hosts.json)
#Host: {
	address!: string
	check: {type: "icmp", host: address, flap: {}}
	labels: matchN(1, [{rack!: string}, {room!: string}])
	...
}
hosts: [string]: #Host
hosts: web1: {address: racks.first, labels: rack: "r1"}
hosts: _more
`;
const todaysFiles = {
  "cue.mod/module.cue": module_,
  "racks/racks.cue": 'package racks\nfirst: "192.0.2.1"\n',
  "realm/config.cue": todays,
  "realm/hosts.json": '{"web2": {"address": "192.0.2.2", "labels": {"room": "a"}}}',
};
const cue = ["-cue-command", program.path];

test("[RL14] required fields, matchN, embedded files and own modules", needsCue, async (t) => {
  const folder = write(tempFolder(t), todaysFiles);
  const holds = { code: 0, lines: ["the configuration holds: 2 hosts, 0 services, 0 processes"] };
  assert.deepEqual(await check(folder, "realm/config.cue", cue), holds);
  assert.deepEqual(await check(folder, "realm", cue), holds);
});

test("[RL14] error() and problems in templates, embedded files and modules are diagnostics", needsCue, async (t) => {
  const folder = write(tempFolder(t), {
    ...todaysFiles,
    "realm/config.cue": `${todays}\nif len(hosts) > 1 {\n\tviews: a: error("too many hosts")\n}\n`,
  });
  assert.deepEqual(await check(folder, "realm", cue), {
    code: 1,
    lines: ["realm/config.cue:19:12: views.a: too many hosts"],
  });
  write(folder, { "realm/config.cue": todays, "realm/hosts.json": '{"web2": {"address": "192.0.2.2"}}' });
  const { code, lines } = await check(folder, "realm/config.cue", cue);
  assert.equal(code, 1);
  for (const line of lines) assert.match(line, /^realm\/config\.cue:\d+:\d+: /);
});

test("[RL14] a required field that is missing is one diagnostic, beside all others", needsCue, async (t) => {
  const text =
    'timezone: "Mars"\n#H: {address!: string, check: {type: "icmp", host: "x", flap: {}}}\nhosts: web1: #H & {}\n';
  const folder = write(tempFolder(t), { "a.cue": text });
  const { code, lines } = await check(folder, "a.cue", cue);
  assert.equal(code, 1);
  assert.deepEqual(
    lines.map((line) => line.replace(/^(a\.cue:\d+):\d+: /, "$1 ")),
    [
      'a.cue:1 timezone must be Local or a time zone\'s IANA name, not "Mars"',
      "a.cue:2 hosts.web1.address: field is required but not present",
    ],
  );
});

test("[RL14] in the demo profile a document has no other files and no modules", needsCue, async (t) => {
  const folder = write(tempFolder(t), todaysFiles);
  const { code, lines } = await check(folder, "realm/config.cue", [...cue, "-config-profile", "demo"]);
  assert.equal(code, 1);
  assert.match(lines.join("\n"), /^realm\/config\.cue:5:8: .*cannot find package/m);
});

/** Documents that need a newer CUE, each with the place and the message of its only diagnostic. */
const newerDocuments: readonly (readonly [document: string, diagnostic: string])[] = [
  ["#H: {address!: string, ...}\nhosts: [string]: #H\n", "1:13: expected label or ':', found '!'"],
  ["hosts: {}\n_a: {b!: string}\n", "2:7: expected label or ':', found '!'"],
  ["hosts: {\n\ttry {\n\t}\n}\n", "2:6: expected label or ':', found '{'"],
  ["hosts: {for x in [] {a: x} otherwise {}}\n", "1:28: missing ',' in struct literal"],
  ["hosts~X: {}\n", "1:6: illegal character U+007E '~'"],
  ["_a: {}\nhosts: {_a...}\n", "2:11: expected label or ':', found '...'"],
  ["hosts: __reclose({})\n", '1:8: hosts: reference "__reclose" not found'],
  ["hosts: self.b\n", '1:8: hosts: reference "self" not found'],
  [
    'import "encoding/toml"\n\nhosts: {}\n_a: toml.Marshal({b: 1})\n_c: toml.Marshal({})\n',
    '4:5: _a: cannot call non-function "encoding/toml".Marshal (type _|_)',
  ],
  ['import "encoding/toml"\n\nhosts: toml.Unmarshal("")\n', '1:8: package "encoding/toml" not found'],
];

test("[RL15] the built-in CUE says in one diagnostic where a newer one is needed", async () => {
  const hint = "(the CUE inside is version 0.4.3; -cue-command uses an installed, newer one)";
  const options = { realm: "default", localZone: "Europe/Berlin" } as const;
  for (const [text, diagnostic] of newerDocuments) {
    const loaded = await builtIn.plan({ source: { kind: "text", text, name: "a.cue" }, names: "given", options });
    assert.deepEqual(loaded.ok || loaded.error.map(formatDiagnostic), [`a.cue:${diagnostic} ${hint}`], text);
  }
});

test("[RL16] auto takes the first cue on PATH that is new enough", async (t) => {
  const folder = tempFolder(t);
  const old = cueScript(folder, "old", "echo cue version v0.8.2");
  const broken = cueScript(folder, "broken", "exit 1");
  const recent = cueScript(folder, "recent", "echo cue version v0.9.0-rc.1");
  const newer = cueScript(folder, "newer", "echo cue version v1.2.0");
  const folders = ["old", "broken", "recent", "newer"].map((name) => join(folder, name));
  const found = await findCueProgram("auto", [...folders, "relative"].join(":"));
  const passedOver = [
    `${old} is cue 0.8.2; at least version 0.9 is needed`,
    `${broken} does not print the version of cue`,
  ];
  assert.deepEqual(found, { ok: true, value: { path: recent, version: "0.9.0-rc.1", passedOver } });
  assert.deepEqual(await findCueProgram("auto", join(folder, "old")), {
    ok: false,
    error: `auto: no cue of at least version 0.9 is on PATH (${old} is cue 0.8.2; at least version 0.9 is needed)`,
  });
  assert.deepEqual(await findCueProgram(newer, ""), { ok: true, value: { path: newer, version: "1.2.0" } });
  assert.deepEqual(await findCueProgram(old, ""), {
    ok: false,
    error: `${old} is cue 0.8.2; at least version 0.9 is needed`,
  });
  assert.deepEqual(await findCueProgram(broken, ""), {
    ok: false,
    error: `${broken} does not print the version of cue`,
  });
});

test("[RL16] a program that cannot be used ends the start with exit code 2", async (t) => {
  const folder = write(tempFolder(t), { "a.cue": "hosts: {}\n" });
  for (const flags of [["-check-config"], ["-data-dir", join(folder, "data")]]) {
    const args = [...agentProgram, ...flags, "-config", join(folder, "a.cue"), "-cue-command", join(folder, "none")];
    const { code, stderr } = await runToEnd(args);
    assert.equal(code, 2);
    assert.equal(stderr, `realmwatch-agent: -cue-command ${join(folder, "none")} is not an executable program\n`);
  }
});

test("[RL17] a run that takes too long ends with all its processes and files", async (t) => {
  const folder = tempFolder(t);
  const path = cueScript(
    folder,
    "slow",
    `[ "$1" = version ] && exec echo cue version v0.9.0\nenv >${folder}/env; sleep 600 & echo $! >${folder}/pid; wait`,
  );
  const source = { kind: "text", name: "a.cue", text: "x: 1 + 1\nhosts: {}\n" } as const;
  // The limit is exceeded as soon as the program runs.
  const limits = { timeoutMs: 6_000, memoryBytes: 2 ** 30 };
  const pidFile = join(folder, "pid");
  const isRunningYet = (): boolean => existsSync(pidFile) && readFileSync(pidFile, "utf8").endsWith("\n");
  const own = openLoader({
    ...systemClock,
    after(ms, act) {
      if (ms < limits.timeoutMs) return systemClock.after(ms, act);
      void until("the program runs", isRunningYet).then(act);
      return () => {};
    },
  });
  atEnd(t, () => own.close());
  const loaded = await own.plan({
    source,
    options: { realm: "default", localZone: "UTC" },
    limits,
    evaluator: { program: { path, version: "0.9.0" }, documentFolder: undefined },
  });
  const lines = loaded.ok ? [] : loaded.error.map(formatDiagnostic);
  assert.deepEqual(lines, ["a.cue:1:1: evaluation took longer than the 6s it may take"]);
  const environment = readFileSync(join(folder, "env"), "utf8");
  assert.match(environment, /^CUE_REGISTRY=none$/m);
  const work = /^HOME=(.*)$/m.exec(environment)?.[1] ?? "";
  const pid = readFileSync(pidFile, "utf8").trim();
  await until("the end of the program's child", () => !isRunning(Number(pid)));
  assert.equal(existsSync(work), false);
});

test("[RL18] the version in use is in -version, the log and GetServerInfo", needsCue, async (t) => {
  const { stdout } = await runToEnd([...agentProgram, ...cue, "-version"]);
  assert.match(stdout, new RegExp(`CUE ${program.version}\\)`));
  const agent = await startTestAgent(t, {
    config: 'let n = 1\nhosts: {}\nviews: a: {selector: "@kind=host", description: "\\(n)"}\n',
    flags: { "cue-command": program.path },
  });
  const info = await call(agent.base, "QueryService/GetServerInfo");
  assert.equal(info.body["cueVersion"], program.version);
  assert.match(agent.output(), new RegExp(`"cueVersion":"${program.version}"`));
});
