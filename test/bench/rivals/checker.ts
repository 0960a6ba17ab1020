import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { chmod, mkdtemp, readdir, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { cpuSecondsOfTree } from "../process-tree.ts";

/** Another monitoring system that runs one plugin as often as it can. */
export type Checker = {
  readonly name: string;
  readonly program: string;
  /** The files of a configuration with far more checks due than can be run, by name. */
  write(plugin: readonly string[], folder: string): Readonly<Record<string, string>>;
  argumentsFor(folder: string): readonly string[];
  /** How many checks it says that it has run. */
  count(folder: string): Promise<number>;
};

/** `cpuMs`: of all its processes and of the plugins, for each check. */
export type CheckerSpeed = { readonly checksPerSecond: number; readonly cpuMs: number };

/** How long it runs before it is looked at, and for how long it is looked at, ms. */
const usual = { warmUpMs: 3_000, windowMs: 6_000 };

/** How fast it runs `plugin` at saturation; undefined where it is not installed. */
export async function measureChecker(
  checker: Checker,
  plugin: readonly string[],
  { warmUpMs, windowMs } = usual,
): Promise<CheckerSpeed | undefined> {
  const folder = await mkdtemp(join(tmpdir(), "checker-"));
  let child: ChildProcess | undefined;
  let said = "";
  try {
    await chmod(folder, 0o777);
    for (const [name, text] of Object.entries(checker.write(plugin, folder))) await writeFile(join(folder, name), text);
    child = spawn(checker.program, checker.argumentsFor(folder), { stdio: ["ignore", "pipe", "pipe"], detached: true });
    for (const stream of [child.stdout, child.stderr])
      stream?.on("data", (data) => {
        said = (said + data).slice(-2_000);
      });
    await once(child, "spawn");
    await until(async () => (await checker.count(folder)) > 0 || child?.exitCode !== null);
    await sleep(warmUpMs);
    if (child.exitCode !== null) throw new Error(`${checker.name} ended with ${child.exitCode}: ${said}`);
    const before = await look(checker, child, folder);
    await sleep(windowMs);
    const after = await look(checker, child, folder);
    const checks = after.checks - before.checks;
    return {
      checksPerSecond: checks / ((after.atMs - before.atMs) / 1_000),
      cpuMs: ((after.cpuSeconds - before.cpuSeconds) * 1_000) / checks,
    };
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  } finally {
    await end(child);
    await rm(folder, { recursive: true, force: true, maxRetries: 5 });
  }
}

async function look(checker: Checker, { pid = 0 }: ChildProcess, folder: string) {
  return { checks: await checker.count(folder), cpuSeconds: cpuSecondsOfTree(pid), atMs: performance.now() };
}

async function until(holds: () => Promise<boolean>): Promise<void> {
  for (let waitedMs = 0; waitedMs < 20_000 && !(await holds()); waitedMs += 50) await sleep(50);
}

/** With its workers, which are in its process group. */
async function end(child: ChildProcess | undefined): Promise<void> {
  if (child?.pid === undefined || child.exitCode !== null) return;
  const gone = once(child, "exit");
  child.kill("SIGTERM");
  const patience = setTimeout(() => signalGroup(child, "SIGKILL"), 5_000);
  await gone;
  clearTimeout(patience);
  signalGroup(child, "SIGKILL");
}

function signalGroup({ pid = 0 }: ChildProcess, signal: NodeJS.Signals): void {
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody is left in it.
  }
}

/** Names of the files of `folder` that begin so; none where there is no such folder. */
export const filesBeginning = async (folder: string, start: string): Promise<string[]> =>
  (await readdir(folder).catch(() => [])).filter((name) => name.startsWith(start)).map((name) => join(folder, name));
