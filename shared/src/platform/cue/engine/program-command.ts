import { type ChildProcessByStdio, spawn } from "node:child_process";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { Readable } from "node:stream";
import { repeat } from "../../../model/clock.ts";
import { systemClock } from "../../system-clock.ts";
import { packageOf } from "../source/cue-sources.ts";
import type { CueCommand, CueCommandOutput } from "./command.ts";
import type { CueProgram } from "./find-program.ts";
import { MemoryLimitReached } from "./memory-limit.ts";
import { mirrorModule } from "./mirror-module.ts";
import { killGroup, type ProcessGroup } from "./process-group.ts";
import { residentBytesOfTree } from "./resident-memory.ts";

export type ProgramCommandOptions = {
  readonly program: CueProgram;
  /** Existing private folder for the files of runs. */
  readonly workFolder: string;
  /** Folder of the document, whose other files and modules it may use; undefined when it may use none. */
  readonly documentFolder: string | undefined;
  /** Limit of the resident memory of a run, its child processes included, bytes. */
  readonly memoryBytes: number;
  /** Process group of the run. */
  readonly processGroup: ProcessGroup;
};

/** Maximum size of what a run prints, bytes. */
const maxOutputBytes = 256 * 2 ** 20;
/** Interval at which the memory of a run is measured, ms. */
const memoryIntervalMs = 20;
/** Part of the memory limit from which Go's garbage collector runs more often, so that garbage alone exceeds no limit. */
const collectedPart = 0.9;

/**
 * Opens an installed `cue` program for in-memory files. Each run is a process group of its own in a new folder, without
 * a shell, with an empty environment, its own cache and no module registry, so that it reaches no network.
 */
export function openProgramCommand(options: ProgramCommandOptions): CueCommand {
  return async (args, files) => {
    const folder = await mkdtemp(join(options.workFolder, "run-"));
    try {
      return await run(options, folder, { args, files });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  };
}

type Call = { readonly args: readonly string[]; readonly files: ReadonlyMap<string, string> };

async function run(options: ProgramCommandOptions, folder: string, { args, files }: Call): Promise<CueCommandOutput> {
  const { program, documentFolder, processGroup } = options;
  const moduleFolder = join(folder, "module");
  const embeds = [...files.values()].some((text) => text.includes("@embed"));
  const target = await mirrorModule({ documentFolder, embeds, moduleFolder, cueVersion: program.version });
  for (const [name, text] of files) await writeFile(join(target, name), text, { mode: 0o600 });
  const words = [...args.filter((word) => !files.has(word)), ...namesOf(files)];
  const env = environmentOf(folder, options.memoryBytes);
  const child = processGroup.start(() =>
    spawn(program.path, words, { cwd: target, env, stdio: ["ignore", "pipe", "pipe"], detached: true }),
  );
  return await collect(child, options);
}

/** Names the files: as a package where they are one, because only a package may embed files. */
function namesOf(files: ReadonlyMap<string, string>): readonly string[] {
  const [first = ""] = files.values();
  const name = packageOf(first);
  return name === undefined ? [...files.keys()] : [`.:${name}`];
}

const environmentOf = (folder: string, memoryBytes: number): Record<string, string> => ({
  GOMEMLIMIT: `${Math.floor(memoryBytes * collectedPart)}`,
  HOME: folder,
  TMPDIR: folder,
  CUE_CACHE_DIR: join(folder, "cache"),
  CUE_CONFIG_DIR: join(folder, "config"),
  CUE_REGISTRY: "none",
});

/** Collects the output of a run. Ends it when it prints too much or needs too much memory. */
function collect(
  child: ChildProcessByStdio<null, Readable, Readable>,
  { program, memoryBytes, processGroup }: ProgramCommandOptions,
): Promise<CueCommandOutput> {
  const printed = { stdout: [] as Buffer[], stderr: [] as Buffer[] };
  let size = 0;
  let failure: string | undefined;
  let isTooLarge = false;
  const kill = (): void => killGroup(child.pid);
  for (const name of ["stdout", "stderr"] as const)
    child[name].on("data", (chunk: Buffer) => {
      size += chunk.length;
      if (size <= maxOutputBytes) return void printed[name].push(chunk);
      failure = `cue printed more than ${maxOutputBytes / 2 ** 20} MiB`;
      kill();
    });
  const stopMeasuring = repeat(systemClock, memoryIntervalMs, () => {
    if (child.pid === undefined || residentBytesOfTree(child.pid) <= memoryBytes) return;
    isTooLarge = true;
    kill();
  });
  return new Promise((resolve, reject) => {
    child.on("error", (error: NodeJS.ErrnoException) => {
      failure = `${program.path} cannot be run: ${error.code}`;
    });
    child.on("close", (code, signal) => {
      stopMeasuring();
      processGroup.finish();
      if (isTooLarge) return reject(new MemoryLimitReached(`${program.path}, limit ${memoryBytes} bytes`));
      if (signal !== null) failure ??= `cue was ended by ${signal}`;
      if (failure !== undefined) return resolve({ code: 1, stdout: "", stderr: failure });
      resolve({ code: code ?? 1, stdout: joined(printed.stdout), stderr: joined(printed.stderr) });
    });
  });
}

const joined = (chunks: readonly Buffer[]): string => Buffer.concat(chunks).toString("utf8");
