import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSecondsOfTree, descendantsOf } from "../process-tree.ts";

/** Another monitoring system that runs one plugin as often as it can. */
export type PeerChecker = {
  readonly name: string;
  readonly program: string;
  /** The files of a configuration with far more checks due than can be run, by name. */
  write(plugin: readonly string[], folder: string): Readonly<Record<string, string>>;
  argumentsFor(folder: string): readonly string[];
  /** How many checks it says that it has run. */
  count(folder: string): Promise<number>;
};

/** What was done while it was looked at. `cpuSeconds`: of all its processes and of the plugins. */
export type MeasuredWindow = { readonly checks: number; readonly cpuSeconds: number; readonly seconds: number };

/** A system that runs, and stands still but while it is looked at. */
export type RunningPeer = { readonly name: string; measure(ms: number): Promise<MeasuredWindow>; close(): Promise<void> };

/** `cpuMs`: of all its processes and of the plugins, for each check. */
export type CheckerSpeed = { readonly checksPerSecond: number; readonly cpuMs: number };

/**
 * How long it runs after it stood still before it is looked at, ms. Shorter, and what piled up meanwhile is counted as
 * if it had been done within the window: more than the machine's cores could do.
 */
const wakeUpMs = 2_000;
/** How long those that were stopped take to be still, ms. */
const stillMs = 300;

/** How fast it runs `plugin` at saturation, looked at once; undefined where it is not installed. */
export async function measureChecker(
  checker: PeerChecker,
  plugin: readonly string[],
  times: { readonly warmUpMs: number; readonly windowMs: number },
): Promise<CheckerSpeed | undefined> {
  const rival = await openPeer(checker, plugin, times.warmUpMs);
  try {
    const window = await rival?.measure(times.windowMs);
    return (
      window && {
        checksPerSecond: window.checks / window.seconds,
        cpuMs: (1_000 * window.cpuSeconds) / window.checks,
      }
    );
  } finally {
    await rival?.close();
  }
}

/** Starts it with `plugin` at saturation and lets it run for `warmUpMs`; undefined where it is not installed. */
export async function openPeer(
  checker: PeerChecker,
  plugin: readonly string[],
  warmUpMs = 2_000,
): Promise<RunningPeer | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "checker-"));
  let child: ChildProcess | undefined;
  let output = "";
  const close = async (): Promise<void> => {
    await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  };
  try {
    await chmod(folder, 0o777);
    for (const [name, text] of Object.entries(checker.write(plugin, folder))) await writeFile(join(folder, name), text);
    const started = spawn(checker.program, checker.argumentsFor(folder), {
      stdio: ["ignore", "pipe", "pipe"],
      detached: true,
    });
    child = started;
    for (const stream of [started.stdout, started.stderr])
      stream?.on("data", (data) => {
        output = (output + data).slice(-2_000);
      });
    await once(started, "spawn");
    await until(async () => (await checker.count(folder)) > 0 || started.exitCode !== null);
    await sleep(warmUpMs);
    if (started.exitCode !== null) throw new Error(`${checker.name} ended with ${started.exitCode}: ${output}`);
    suspend(started);
    const measure = async (ms: number): Promise<MeasuredWindow> => {
      signalTree(started, "SIGCONT");
      await sleep(wakeUpMs);
      const before = await stateOf(checker, started, folder);
      await sleep(ms);
      const after = await stateOf(checker, started, folder);
      suspend(started);
      await sleep(stillMs);
      return {
        checks: after.checks - before.checks,
        cpuSeconds: after.cpuSeconds - before.cpuSeconds,
        seconds: (after.atMs - before.atMs) / 1_000,
      };
    };
    return { name: checker.name, measure, close };
  } catch (error) {
    await close();
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}

async function stateOf(checker: PeerChecker, { pid = 0 }: ChildProcess, folder: string) {
  return { checks: await checker.count(folder), cpuSeconds: cpuSecondsOfTree(pid), atMs: performance.now() };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 20_000 && !(await holds()); waitedMs += 50) await sleep(50);
}

async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null) return;
  const gone = once(child, "exit");
  signalTree(child, "SIGCONT");
  child.kill("SIGTERM");
  const patience = setTimeout(() => signalTree(child, "SIGKILL"), 5_000);
  await gone;
  clearTimeout(patience);
}

/** Twice: what was being started the first time has a parent that starts no more. */
function suspend(child: ChildProcess): void {
  signalTree(child, "SIGSTOP");
  signalTree(child, "SIGSTOP");
}

/** With all that descends from it: workers have groups of their own. */
function signalTree({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  for (const one of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(one, signal);
    } catch {
      // It has ended.
    }
  }
}

/** What a checker writes for each result: long, so that little of it waits in a buffer when it is counted. */
export const resultLine = "x".repeat(511);

/** How many lines of results the file of `folder` holds whose name begins so. */
export async function countResults(folder: string, start: string): Promise<number> {
  const name = (await readdir(folder)).find((one) => one.startsWith(start));
  return name === undefined ? 0 : (await stat(join(folder, name))).size / (resultLine.length + 1);
}
