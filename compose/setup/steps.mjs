import { spawn } from "node:child_process";
import { accessSync, closeSync, constants, mkdirSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { outerPath, root } from "./places.mjs";

/** A failure whose message tells the reader all that they need: shown without a stack. */
export class SetupError extends Error {}

/** Makes the folder for logs and all that the demo writes; nobody else may look into it. */
export function makeOwnFolder() {
  try {
    mkdirSync(join(root, ".demo"), { recursive: true, mode: 0o700 });
    accessSync(root, constants.W_OK);
  } catch (error) {
    throw new SetupError(`The checkout ${root} cannot be written to (${error.code}): start as the user who owns it.`);
  }
}

/** Steps under way, so that an interrupt ends them too. */
const running = new Set();

/** Kills whatever step is under way, with everything it started. */
export function stopSteps() {
  for (const child of running) {
    try {
      process.kill(-child.pid, "SIGTERM");
    } catch {
      // It has ended by itself.
    }
  }
}

const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/**
 * Does one step of a preparation and tells how long it took. While it lasts a terminal shows it running,
 * a log file gets a line every 15 s. Answers what `work` does.
 */
export async function step(name, work) {
  const startedMs = Date.now();
  const terminal = process.stdout.isTTY === true;
  const show = terminal ? () => process.stdout.write(`\r  ${name} … ${seconds(startedMs)} `) : undefined;
  const tell = () => console.log(`  ${name} … still running after ${seconds(startedMs)}`);
  if (show) show();
  const timer = setInterval(show ?? tell, show ? 200 : 15_000);
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
 * Runs a program of a step to its end, its output in `log` (a path below the checkout).
 * Rejects with the log's last lines where it fails, so that nobody has to open the file first.
 */
export async function runLogged(command, args, { log, env = {}, cwd = root, hint = "" }) {
  const file = join(root, log);
  mkdirSync(join(file, ".."), { recursive: true });
  const output = openSync(file, "w");
  try {
    const child = spawn(command, args, {
      cwd,
      env: { ...process.env, PATH: outerPath, ...env },
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
    throw new SetupError([words, `From ${log}:`, tellingLines(readFileSync(file, "utf8")), hint].join("\n").trimEnd());
  } finally {
    closeSync(output);
  }
}

/** Of a log that ends in failure: the first lines that speak of an error, and the end. */
function tellingLines(text) {
  const lines = text.trimEnd().split("\n");
  const [before, end] = [lines.slice(0, -12), lines.slice(-12)];
  return [...before.filter((line) => /\berror\b/i.test(line)).slice(0, 12), ...end]
    .map((line) => `    ${line}`)
    .join("\n");
}
