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
  /** Returns the files, by name, of a configuration with more checks due than can run. */
  write(plugin: readonly string[], folder: string): Readonly<Record<string, string>>;
  argumentsFor(folder: string): readonly string[];
  /** Returns the number of checks that it has run. */
  count(folder: string): Promise<number>;
};

/** Work within a measurement. `cpuSeconds`: of all its processes and of the plugins. */
export type MeasuredWindow = { readonly checks: number; readonly cpuSeconds: number; readonly seconds: number };

/** Running system, which is suspended except during a measurement. */
type RunningPeer = {
  readonly name: string;
  measure(ms: number): Promise<MeasuredWindow>;
  close(): Promise<void>;
};

/** Speed of a system. `cpuMs`: CPU time of all its processes and of the plugins for each check. */
export type CheckerSpeed = { readonly checksPerSecond: number; readonly cpuMs: number };

/**
 * Time between the end of a suspension and a measurement, ms. With a shorter one, work left over from before would be
 * counted within the measurement.
 */
const wakeUpMs = 2_000;
/** Time until suspended processes have stopped, ms. */
const suspendMs = 300;

/** Measures the rate of `plugin` at saturation, once; undefined when the system is not installed. */
export async function measureChecker(
  checker: PeerChecker,
  plugin: readonly string[],
  times: { readonly warmUpMs: number; readonly windowMs: number },
): Promise<CheckerSpeed | undefined> {
  const peer = await openPeer(checker, plugin, times.warmUpMs);
  try {
    const window = await peer?.measure(times.windowMs);
    return (
      window && {
        checksPerSecond: window.checks / window.seconds,
        cpuMs: (1_000 * window.cpuSeconds) / window.checks,
      }
    );
  } finally {
    await peer?.close();
  }
}

/** Starts a system with `plugin` at saturation, lets it run for `warmUpMs` and suspends it; undefined when not installed. */
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
      await sleep(suspendMs);
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
  const killTimer = setTimeout(() => signalTree(child, "SIGKILL"), 5_000);
  await gone;
  clearTimeout(killTimer);
}

/** Stops all processes, twice: a process started during the first time has a stopped parent then. */
function suspend(child: ChildProcess): void {
  signalTree(child, "SIGSTOP");
  signalTree(child, "SIGSTOP");
}

/** Signals a process and all its descendants, because workers have process groups of their own. */
function signalTree({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  for (const one of [pid, ...descendantsOf(pid)]) {
    try {
      process.kill(one, signal);
    } catch {
      // It has ended.
    }
  }
}

/** Line that a system writes for each result: long, so that few lines wait in a buffer when they are counted. */
export const resultLine = "x".repeat(511);

/** Number of result lines in the file of `folder` whose name begins with `start`. */
export async function countResults(folder: string, start: string): Promise<number> {
  const name = (await readdir(folder)).find((one) => one.startsWith(start));
  return name === undefined ? 0 : (await stat(join(folder, name))).size / (resultLine.length + 1);
}
