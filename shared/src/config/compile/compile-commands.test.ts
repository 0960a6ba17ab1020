import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePlan } from "./compile-plan.ts";

function problemsOf(json: object): readonly (readonly [path: string, message: string])[] {
  const compiled = compilePlan(json, { realm: "fra", localZone: "UTC" });
  return compiled.ok ? [] : compiled.error.map(({ path, message }) => [path.join("."), message] as const);
}

const check = (args: readonly string[]): object => ({
  hosts: { web1: { address: "192.0.2.1", check: { type: "command", command: "run", args, flap: {} } } },
});
const remedy = (variable: string): string => `or read the environment variable ${variable} in a script of your own`;
const programs =
  "of the system's programs such a line may run printf, echo, mail, mailx, sendmail, logger, curl, jq, cut, tr, head, fold and cat without arguments";

test("[PO9] a line that passes an output to another program of the system is refused, with the variable to use", () => {
  for (const shell of [false, true])
    assert.deepEqual(
      problemsOf({ hosts: {}, commands: { run: { line: "sh -c 'echo $SERVICEOUTPUT$ $HOSTOUTPUT$'", shell } } }),
      [
        [
          "commands.run.line",
          `command "run": line has $SERVICEOUTPUT$, a text from outside the configuration, in a line that runs sh: ${programs}, ${remedy("NAGIOS_SERVICEOUTPUT")}`,
        ],
      ],
    );
});

test("[PO9] an argument of a check, handler or contact that such a line runs is refused where it is written", () => {
  const commands = { run: { line: "ssh web1 $ARG1$ $ARG2$" } };
  const args = ["$HOSTNAME$", "x$SERVICEOUTPUT$"];
  const where = `has $SERVICEOUTPUT$, a text from outside the configuration, in a line that runs ssh: ${programs}, ${remedy("NAGIOS_SERVICEOUTPUT")}`;
  const call = { type: "command", command: "run", args };
  const document = { ...check(args), commands, handlers: { fix: call }, contacts: { ops: call } };
  assert.deepEqual(problemsOf(document).toSorted(), [
    ["contacts.ops.args.1", `contact "ops": args[1] ${where}`],
    ["handlers.fix.args.1", `handler "fix": args[1] ${where}`],
    ["hosts.web1.check.args.1", `host "web1": check.args[1] ${where}`],
  ]);
});

test("[PO9] an argument that gives a line another program does not make it harmless, and a harmless one is accepted", () => {
  const paths = (line: string, args: readonly string[], shell = false) =>
    problemsOf({ ...check(args), commands: { run: { line, shell } } }).map(([path]) => path);
  assert.deepEqual(paths("$ARG1$ -c $SERVICEOUTPUT$", ["/opt/notify"]), ["commands.run.line"]);
  assert.deepEqual(paths("logger $ARG1$ -- $SERVICEOUTPUT$", ["-t x"]), []);
  assert.deepEqual(paths("logger -- $SERVICEOUTPUT$ $ARG1$", ["x; sh"], true), ["hosts.web1.check.args"]);
});

test("[PO9] the remedy is accepted", () => {
  const lines = [`sh -c 'echo "$NAGIOS_SERVICEOUTPUT" | mail ops'`, `printf %s "$NAGIOS_SERVICEOUTPUT" | ssh web1 cat`];
  for (const line of lines)
    for (const shell of [false, true])
      assert.deepEqual(problemsOf({ hosts: {}, commands: { run: { line, shell } } }), []);
});

test("an unknown macro is reported with the nearest one, and a number beyond the last argument with the range", () => {
  const line = "/opt/run $HOSTNAM$ $ARG33$";
  assert.deepEqual(problemsOf({ hosts: {}, commands: { run: { line } } }), [
    ["commands.run.line", 'command "run": line names the unknown macro $HOSTNAM$; the nearest one is "HOSTNAME"'],
    ["commands.run.line", 'command "run": line names the unknown macro $ARG33$; arguments are $ARG1$ to $ARG32$'],
  ]);
});
