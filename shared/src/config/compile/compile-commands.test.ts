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
const remedy = (variable: string): string =>
  `where text from outside the configuration could be run as code; use the environment variable ${variable} there`;

test("[PO9] a line that passes an output to another interpreter is refused, with the variable to use", () => {
  for (const shell of [false, true])
    assert.deepEqual(
      problemsOf({ hosts: {}, commands: { run: { line: "sh -c 'echo $SERVICEOUTPUT$ $HOSTOUTPUT$'", shell } } }),
      [
        ["SERVICEOUTPUT", "commands.run.line"],
        ["HOSTOUTPUT", "commands.run.line"],
      ].map(([macro, path]) => [
        path,
        `command "run": line has $${macro}$ in an argument of sh -c, ${remedy(`NAGIOS_${macro}`)}`,
      ]),
    );
});

test("[PO9] an argument of a check, handler or contact that such a line runs is refused where it is written", () => {
  const commands = { run: { line: "ssh web1 $ARG1$ $ARG2$" } };
  const args = ["$HOSTNAME$", "x$SERVICEOUTPUT$"];
  const where = `has $SERVICEOUTPUT$ in an argument of ssh, ${remedy("NAGIOS_SERVICEOUTPUT")}`;
  const call = { type: "command", command: "run", args };
  const document = { ...check(args), commands, handlers: { fix: call }, contacts: { ops: call } };
  assert.deepEqual(problemsOf(document).toSorted(), [
    ["contacts.ops.args.1", `contact "ops": args[1] ${where}`],
    ["handlers.fix.args.1", `handler "fix": args[1] ${where}`],
    ["hosts.web1.check.args.1", `host "web1": check.args[1] ${where}`],
  ]);
});

test("[PO9] an argument that turns a harmless line into an interpreter's is refused, the line itself is not", () => {
  const commands = { run: { line: "$ARG1$ -c $SERVICEOUTPUT$" } };
  assert.deepEqual(
    problemsOf({ ...check(["notify"]), commands }).map(([path]) => path),
    ["commands.run.line"],
  );
  const line = "env $ARG1$ x $SERVICEOUTPUT$";
  assert.deepEqual(problemsOf({ ...check(["mail"]), commands: { run: { line } } }), []);
  assert.deepEqual(
    problemsOf({ ...check(["ssh"]), commands: { run: { line } } }).map(([path]) => path),
    ["hosts.web1.check.args"],
  );
});

test("[PO9] the remedy is accepted", () => {
  const lines = [`sh -c 'echo "$NAGIOS_SERVICEOUTPUT" | mail ops'`, `printf %s "$NAGIOS_SERVICEOUTPUT" | ssh web1 cat`];
  for (const line of lines)
    for (const shell of [false, true])
      assert.deepEqual(problemsOf({ hosts: {}, commands: { run: { line, shell } } }), []);
});
