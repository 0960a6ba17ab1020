import assert from "node:assert/strict";
import { after, test } from "node:test";
import { type ModuleName, openModuleFolder } from "../../platform/wasm/wasm-modules.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const modules = openModuleFolder();
const dependencies = openTestDependencies();
after(async () => {
  await dependencies.close();
  modules.remove();
});

function check(module: string, args: readonly string[] = [], timeoutMs = 20_000): Promise<CheckRun> {
  const macro = (name: string): string | undefined => (name === "HOSTSTATE" ? "UP" : undefined);
  return runCheck(servicePlan({ type: "wasm", module, args }, timeoutMs), checkEnvironment({ macro }), dependencies);
}
const run = (name: ModuleName, timeoutMs?: number): Promise<CheckRun> => check(modules.path(name), [], timeoutMs);

test("[WA1] the output of a module is parsed like that of a plugin", async () => {
  const { status, output, perfdata } = await run("ok");
  assert.deepEqual([status, output], ["ok", "OK - queue is short"]);
  assert.deepEqual(
    perfdata.map((p) => [p.label, p.value, p.warn, p.crit, p.min]),
    [["depth", 3, "10", "20", 0]],
  );
  assert.equal((await run("critical")).status, "critical");
  assert.equal((await run("onStderr")).output, "(No output on stdout) stderr: only here");
});

test("[WA2] the environment has macros, but no variables of the agent", async () => {
  const { output } = await run("environ");
  assert.match(output, /NAGIOS_HOSTNAME=web1/);
  assert.match(output, /NAGIOS_HOSTSTATE=UP/);
  assert.doesNotMatch(output, /PATH=|HOME=/);
});

const unknown: [name: ModuleName, output: RegExp, longOutput: string][] = [
  ["oddExit", /^exit code 77 is out of range 0-3/, "strange"],
  ["unreachable", /unreachable\.wasm trapped: unreachable$/, "so far"],
  ["badImport", /^cannot run \S+badImport\.wasm: it imports the function env\.system, which is not part/, ""],
];
for (const [name, output, longOutput] of unknown)
  test(`[WA5, WA6] ${name} is unknown with the reason`, async () => {
    const found = await run(name);
    assert.equal(found.status, "unknown");
    assert.match(found.output, output);
    assert.equal(found.longOutput, longOutput);
  });

test("[WA4] a module that does not end is unknown", async () => {
  const found = await run("loop", 200);
  assert.equal(found.status, "unknown");
  assert.match(found.output, /loop\.wasm timed out after 200ms/);
});

test("[WA6] a missing module is unknown", async () => {
  const found = await check("/nowhere/module.wasm");
  assert.deepEqual(
    [found.status, found.output],
    ["unknown", "cannot run /nowhere/module.wasm: the file does not exist (ENOENT)"],
  );
});
