import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { root, systemPath } from "./paths.mjs";
import { signalGroup } from "./program-group.mjs";

/** Failure whose message tells the user what to do; it is printed without a stack trace. */
export class SetupError extends Error {}

/** Creates the folder `.demo` for logs and data of the demo, readable by the current user only. */
export function makeOwnFolder() {
  try {
    mkdirSync(join(root, ".demo"), { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK);
  } catch (error) {
    throw new SetupError(
      `The checkout ${root} cannot be written to (${error.code}): run this as the user who owns it.`,
    );
  }
}

/** Programs of steps that run now, so that an interrupt ends them too. */
const running = new Set();

/** Ends the programs of steps that run now, with everything they started. */
export function stopSteps() {
  for (const { pid } of running) signalGroup(pid, "SIGTERM");
}

const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/**
 * Runs one step of the preparation and prints how long it took. While it runs, a terminal shows the elapsed time; other
 * outputs get a line every 15 s. Resolves to the result of `work`.
 */
export async function runStep(name, work) {
  const startedMs = Date.now();
  const terminal = process.stdout.isTTY === true;
  const show = terminal ? () => process.stdout.write(`\r  ${name} … ${seconds(startedMs)} `) : undefined;
  const printProgress = () => console.log(`  ${name} … still running after ${seconds(startedMs)}`);
  if (show) show();
  const timer = setInterval(show ?? printProgress, show ? 200 : 15_000);
  try {
    const value = await work();
    clearInterval(timer);
    console.log(`${terminal ? "\r\x1b[K" : ""}  ${name}: done (${seconds(startedMs)})`);
    return value;
  } catch (error) {
    clearInterval(timer);
    console.log(`${terminal ? "\r\x1b[K" : ""}  ${name}: failed after ${seconds(startedMs)}`);
    throw error;
  }
}

/**
 * Runs a program of a step to its end, with its output in `log`, a path below the checkout. Rejects with a SetupError
 * that quotes the errors and the last lines of the log when the program fails.
 */
export async function runLogged(command, args, { log, env = {}, cwd = root, hint = "" }) {
  const file = join(root, log);
  mkdirSync(join(file, ".."), { recursive: true });
  const output = openSync(file, "w");
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: systemPath, ...env },
      stdio: ["ignore", output, output],
      detached: true,
    });
    running.add(child);
    const ended = await new Promise((resolve) => {
      child.on("error", (error) => resolve(error.message));
      child.on("exit", (code, signal) => resolve(code ?? signal));
    });
    running.delete(child);
    if (ended === 0) return;
    const words = `${command} ${args.join(" ")} ended with ${ended}.`;
    throw new SetupError([words, `From ${log}:`, errorLinesOf(readFileSync(file, "utf8")), hint].join("\n").trimEnd());
  } finally {
    closeSync(output);
  }
}

/** Lines of a failed program's log to show: the first 12 that mention an error, and the last 12. */
function errorLinesOf(text) {
  const lines = text.trimEnd().split("\n");
  const [before, end] = [lines.slice(0, -12), lines.slice(-12)];
  return [...before.filter((line) => /\berror\b/i.test(line)).slice(0, 12), ...end]
    .map((line) => `    ${line}`)
    .join("\n");
}
