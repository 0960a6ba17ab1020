import assert from "node:assert/strict";
import { chmodSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import type { CommandTemplate } from "@realmwatch/shared/text/command/prepare-command";
import { checkEnvironment, hostPlan, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-checks-"));
const dependencies = openTestDependencies();
after(async () => {
  await dependencies.close();
  rmSync(folder, { recursive: true });
});

function plugin(name: string, script: string): string {
  const path = join(folder, name);
  writeFileSync(path, `#!/bin/sh\n${script}\n`);
  chmodSync(path, 0o755);
  return path;
}

const legacy = (script: string, args: string[] = [], timeoutMs = 20_000): Promise<CheckRun> =>
  runCheck(
    servicePlan({ type: "legacy", path: plugin("plugin", script), args }, timeoutMs),
    checkEnvironment(),
    dependencies,
  );

type Values = { args?: string[]; macros?: Record<string, string>; vars?: Record<string, string>; host?: string };

function command(
  template: CommandTemplate,
  { args = [], macros = {}, vars = {}, host = "web1" }: Values = {},
): Promise<CheckRun> {
  const check = { type: "command", command: "it", args } as const;
  const about = checkEnvironment({
    host: hostPlan(check, { key: { kind: "host", name: host }, vars }),
    realm: { commands: { it: template }, resources: { USER1: folder, USER2: "hush" } },
    macro: (name) => macros[name],
  });
  return runCheck(servicePlan(check, 20_000), about, dependencies);
}

for (const [code, status, output] of [
  [0, "ok", "printed"],
  [1, "warning", "printed"],
  [2, "critical", "printed"],
  [3, "unknown", "printed"],
  [4, "unknown", "exit code 4 is out of range 0-3"],
  [42, "unknown", "exit code 42 is out of range 0-3"],
  [126, "unknown", "exit code 126 is out of range 0-3 (the plugin may not be executable)"],
  [127, "unknown", "exit code 127 is out of range 0-3 (the plugin may be missing)"],
] as const)
  test(`[PO1] exit code ${code} is ${status}`, async () => {
    const run = await legacy(`echo printed; exit ${code}`);
    assert.deepEqual([run.status, run.output, run.longOutput], [status, output, code > 3 ? "printed" : ""]);
    assert.ok(run.executionMs > 0);
  });

test("[PO2] output, long output and performance data of a plugin are parsed", async () => {
  const run = await legacy("echo 'OK - fine | a=1ms;10:20'; echo more; exit 0");
  assert.deepEqual([run.output, run.longOutput], ["OK - fine", "more"]);
  assert.deepEqual(
    run.perfdata.map((p) => [p.label, p.value, p.uom, p.warn]),
    [["a", 1, "ms", "10:20"]],
  );
});

test("legacy arguments are literal", async () => {
  const run = await legacy(`printf '%s|' "$@"`, ["$HOSTNAME$", "a b", "$(id)", ";", "*", ""]);
  assert.equal(run.output, "$HOSTNAME$|a b|$(id)|;|*||");
});

test("[PO1] a killed plugin is unknown", async () => {
  const run = await legacy("echo half; kill -KILL $$");
  assert.equal(run.status, "unknown");
  assert.match(run.output, /plugin was killed by SIGKILL$/);
  assert.equal(run.longOutput, "half");
});

test("[PO1, PG2] a plugin that ignores SIGTERM is unknown at its timeout", async () => {
  const run = await legacy("trap '' TERM; echo 'half | a=1'; while :; do sleep 1; done", [], 300);
  assert.equal(run.status, "unknown");
  assert.match(run.output, /plugin timed out after 300ms$/);
  assert.deepEqual([run.longOutput, run.perfdata], ["half", []]);
});

test("a plugin that is missing is unknown", async () => {
  const run = await runCheck(
    servicePlan({ type: "legacy", path: "/nowhere/x", args: [] }),
    checkEnvironment(),
    dependencies,
  );
  assert.deepEqual([run.status, run.output], ["unknown", "cannot run /nowhere/x: there is no such program (ENOENT)"]);
});

test("without standard output the output is standard error", async () => {
  assert.equal((await legacy("echo usage >&2; exit 3")).output, "(No output on stdout) stderr: usage");
  assert.equal((await legacy("exit 3")).output, "(No output returned from plugin)");
});

test("[PO4, PG4] output after 64 KiB is dropped with a note, and the exit code is kept", async () => {
  const run = await legacy("head -c 1000000 /dev/zero | tr '\\0' x; exit 1");
  assert.equal(run.status, "warning");
  assert.match(run.output, /^x{65536}…\(truncated\)$/);
});

test("[PO6] macros are expanded in the command line and, one level deep, in arguments", async () => {
  const script = plugin("args", `printf '%s|' "$@"`);
  const line = "$USER1$/args '-H $HOSTNAME$' $HOSTADDRESS$ $ARG1$ $ARG2$ $ARG3$ $_HOSTPORT$ $$5 $SERVICEDESC$";
  const args = ["$SERVICESTATE$ x", "$ARG1$"];
  const run = await command(
    { line, shell: false },
    { args, macros: { SERVICESTATE: "$HOSTNAME$" }, vars: { PORT: "80" } },
  );
  assert.equal(run.output, "-H web1|192.0.2.1|$HOSTNAME$ x|||80|$5|http|");
  assert.ok(existsSync(script));
});

test("[PG1] the environment has NAGIOS_ macros, but no resource macros", async () => {
  const macros = { SERVICESTATE: "CRITICAL", SERVICEOUTPUT: "two\nlines" };
  const run = await command({ line: "env", shell: false }, { macros, vars: { PORT: "80" } });
  const all = [run.output, run.longOutput].join("\n");
  for (const line of [
    "NAGIOS_HOSTNAME=web1",
    "NAGIOS_SERVICESTATE=CRITICAL",
    "NAGIOS__HOSTPORT=80",
    "NAGIOS_SERVICEOUTPUT=two",
  ])
    assert.ok(all.includes(line), line);
  assert.ok(!all.includes("NAGIOS_USER"));
});

const canary = join(folder, "canary");
const hostile = [
  `; touch ${canary}`,
  `$(touch ${canary})`,
  `\`touch ${canary}\``,
  `'; touch ${canary}; '`,
  `"; touch ${canary}; "`,
  `\n touch ${canary}\n`,
  `| touch ${canary}`,
  `& touch ${canary} &`,
  `> ${canary}`,
  `\\'; touch ${canary}; \\'`,
  `\${IFS}* ~ -rf -- \u2028 $USER2$ $$ \\`,
];
const lines: [what: string, line: string, shell: boolean][] = [
  ["no shell", `printf <%s> $SERVICEOUTPUT$`, false],
  ["no shell, in quotes", `printf '<%s>' "$SERVICEOUTPUT$"`, false],
  ["a shell, bare", `printf '<%s>' $SERVICEOUTPUT$`, true],
  ["a shell, in double quotes", `printf '<%s>' "$SERVICEOUTPUT$"`, true],
  ["a shell, in single quotes", `printf '<%s>' '$SERVICEOUTPUT$'`, true],
  ["a shell, in an argument", `printf '<%s>' $ARG1$`, true],
  ["a shell, in an argument between quotes", `printf '<%s>' "$ARG1$"`, true],
  ["a shell, in a substitution", `printf '<%s>' "$$(printf %s "$SERVICEOUTPUT$")"`, true],
  ["a shell, in back-quotes", "printf '<%s>' \"`printf %s '$SERVICEOUTPUT$'`\"", true],
  ["a shell, after an escape", `printf '<%s>' "a\\"$SERVICEOUTPUT$"`, true],
];
for (const [what, line, shell] of lines)
  test(`[PO7] hostile macro values are not interpreted: ${what}`, async () => {
    for (const value of hostile) {
      // The surrounding shell syntax removes quotes, and a substitution removes the final newline of a value.
      const run = await command({ line, shell }, { args: ["$SERVICEOUTPUT$"], macros: { SERVICEOUTPUT: value } });
      const printed = [run.output, run.longOutput].join("\n").replace('<a"', "<");
      const blank = (text: string): string => text.replace(/\s+/g, " ").replace(/ >$/, ">").trim();
      assert.equal(blank(printed), blank(`<${value}>`));
      assert.ok(!existsSync(canary), value);
    }
  });

test("[PO7] host names, variables and NUL are not interpreted", async () => {
  for (const value of hostile) {
    const run = await command(
      { line: "printf '<%s>' $HOSTNAME$ '$_HOSTX$' $USER2$", shell: true },
      { host: value, vars: { X: value } },
    );
    assert.equal(run.status, "ok");
    assert.ok(!existsSync(canary), value);
  }
  assert.equal(
    (await command({ line: "printf %s $SERVICEOUTPUT$", shell: false }, { macros: { SERVICEOUTPUT: "a\0b" } })).output,
    "ab",
  );
});

test("[PO6] with a shell the operators of the command line work", async () => {
  const run = await command({ line: "echo $ARG1$ | tr a-z A-Z; exit 1", shell: true }, { args: ["$HOSTNAME$ | cat"] });
  assert.deepEqual([run.status, run.output], ["warning", "WEB1"]);
});

test("[PO8] a macro value of a megabyte is cut, in arguments and in the environment", async () => {
  const macros = { SERVICEOUTPUT: "é".repeat(500_000), LONGSERVICEOUTPUT: "y".repeat(1_000_000) };
  const words = "$SERVICEOUTPUT$".repeat(20);
  const script = plugin("sizes", `printf '%s %s' "\${#1}" "$(printenv NAGIOS_LONGSERVICEOUTPUT | wc -c)"`);
  const run = await command({ line: `${script} ${words}`, shell: false }, { macros });
  assert.match(run.output, /^\d+ 65537$/);
  assert.equal((await command({ line: `true $SERVICEOUTPUT$`, shell: true }, { macros })).status, "ok");
});

test("an invalid command is unknown with the reason", async () => {
  assert.match(
    (await command({ line: "a 'b", shell: false })).output,
    /^command "it" cannot be run: its line has an open '/,
  );
  const check = { type: "command", command: "gone", args: [] } as const;
  assert.equal(
    (await runCheck(servicePlan(check), checkEnvironment(), dependencies)).output,
    'command "gone" is not declared',
  );
});
