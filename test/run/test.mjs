// `npm test`: prepares the machine, then runs lint, type check and all tests.
// The last line is `N passed, N failed`, followed by `, N skipped` if any were. Plain JavaScript for Node.js 20.
import { spawn } from "node:child_process";
import { randomUUID } from "node:crypto";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { pinnedNode, root, toolPath } from "../../compose/setup/paths.mjs";
import { SetupError, stopSteps } from "../../compose/setup/steps.mjs";
import { killIfThere, leftoversOf, runVariable } from "./leftovers.mjs";
import { setUp } from "./setup.mjs";

const run = randomUUID();
const soak = process.argv.includes("--soak");
const fileParts = process.argv.slice(2).filter((word) => !word.startsWith("-"));
/** Limit of the whole run, ms, for a hang that no test's own limit has ended; a busy machine may take three times its usual time. */
const limitMs = (soak ? 12 * 60 : 75) * 60_000;
const counts = { passed: 0, failed: 0, skipped: 0 };
const failures = [];

const under = (name) => join(root, "node_modules/.bin", name);

/** Colours in a terminal only. */
const colour = process.stdout.isTTY ? { FORCE_COLOR: "1" } : { NO_COLOR: "1" };

function runProgram(command, args) {
  return new Promise((resolve) => {
    const env = { ...process.env, PATH: toolPath, [runVariable]: run, ...colour };
    const child = spawn(command, args, { cwd: root, env, stdio: "inherit" });
    child.on("error", (error) => resolve(error.message));
    child.on("exit", (code, signal) => resolve(code ?? signal));
  });
}

/** Runs a check that is one program and counts as one test. */
async function runStep(name, command, args) {
  const startedMs = Date.now();
  const ended = await runProgram(command, args);
  console.log(`${ended === 0 ? "ok  " : "FAIL"}  ${name}  ${((Date.now() - startedMs) / 1000).toFixed(1)} s`);
  note(ended === 0, name);
}

function note(isPassed, name) {
  if (isPassed) counts.passed++;
  else {
    counts.failed++;
    failures.push(name);
  }
}

/** Runs node:test over all files in the pinned Node.js, and adds the counts that it writes to a file. */
async function runTests() {
  const result = join(root, ".demo", `test-${run}.json`);
  const ended = await runProgram(pinnedNode, [
    "--disable-warning=ExperimentalWarning",
    "test/run/run-files.ts",
    result,
    soak ? "soak" : "test",
    ...fileParts,
  ]);
  try {
    const found = JSON.parse(readFileSync(result, "utf8"));
    counts.passed += found.passed;
    counts.failed += found.failed;
    counts.skipped += found.skipped;
    failures.push(...found.failures);
  } catch {
    note(false, `the test run itself ended with ${ended}`);
  }
  rmSync(result, { force: true });
}

/** Counts processes that still run 5 s after the tests as a failure, and kills them. */
async function checkLeftovers() {
  const endMs = Date.now() + 5_000;
  while (leftoversOf(run).length > 0 && Date.now() < endMs) await sleep(100);
  const left = leftoversOf(run);
  for (const { pid, command } of left) console.log(`left behind: ${pid} ${command}`);
  endLeftovers();
  note(left.length === 0, `no process is left behind (${left.length} were)`);
}

function endLeftovers() {
  for (const { pid } of leftoversOf(run)) killIfThere(pid);
}

function finish() {
  for (const failure of failures) console.log(`failed: ${failure}`);
  const skipped = counts.skipped === 0 ? "" : `, ${counts.skipped} skipped`;
  console.log(`${counts.passed} passed, ${counts.failed} failed${skipped}`);
  process.exit(counts.failed === 0 ? 0 : 1);
}

for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"])
  process.on(signal, () => {
    stopSteps();
    endLeftovers();
    process.exit(130);
  });
setTimeout(() => {
  note(false, `not finished within ${limitMs / 60_000} minutes`);
  stopSteps();
  endLeftovers();
  finish();
}, limitMs).unref();

try {
  await setUp();
  if (fileParts.length === 0 && !soak) {
    await runStep("lint", under("biome"), ["check", "--error-on-warnings", "."]);
    await runStep("types", under("tsc"), ["-b", "tsconfig.json"]);
  }
  await runTests();
  await checkLeftovers();
} catch (error) {
  console.error(error instanceof SetupError ? error.message : error);
  note(false, "setting up");
}
finish();
