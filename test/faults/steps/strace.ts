import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Run of a module under strace. */
export type TracedRun = {
  /** Path of the module. */
  readonly module: string;
  readonly words: readonly string[];
  /** Only calls on these files count, also through a mount. */
  readonly files: readonly string[];
  /** Injections of strace, such as `fsync:error=EIO:when=2`. Calls are counted by name and thread. */
  readonly inject: readonly string[];
};

export type TracedExit = {
  /** Exit code; undefined when the program was killed. */
  readonly code: number | undefined;
  readonly stdout: string;
  readonly stderr: string;
};

/** Reason to skip tests that need strace; undefined when it works. */
export function straceSkipReason(): string | undefined {
  const tried = spawnSync("strace", ["-f", "--seccomp-bpf", "-o", "/dev/null", "-e", "trace=fsync", "true"]);
  if (tried.error !== undefined) return "needs strace";
  return tried.status === 0 ? undefined : `strace may not trace: ${String(tried.stderr).trim()}`;
}

/** What is started hundreds of times is compiled once. */
const compiled = mkdtempSync(join(tmpdir(), "realmwatch-compiled-"));
process.once("exit", () => rmSync(compiled, { recursive: true, force: true }));

/** Where folders for files are made that need no disk: a kill leaves there what it leaves on one, only sooner. */
export const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

export function runTraced({ module, words, files, inject }: TracedRun): Promise<TracedExit> {
  const node = [process.execPath, "--conditions=source", "--disable-warning=ExperimentalWarning", module, ...words];
  const paths = files.flatMap((file) => ["-P", file]);
  const injections = inject.flatMap((text) => ["-e", `inject=${text}`]);
  // What is not to be tampered with is let by; a signal needs the stop at the call itself, which seccomp leaves out.
  const calls = inject.map((text) => text.split(":", 1)[0]).join(",") || "none";
  const filter = [
    "-e",
    `trace=${calls}`,
    ...(inject.some((text) => text.includes(":signal=")) ? [] : ["--seccomp-bpf"]),
  ];
  // One thread for all that the program does to files by promises: so its calls have an order and a count.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1", NODE_COMPILE_CACHE: compiled };
  return new Promise((resolve) => {
    const args = ["-f", "-qq", "-o", "/dev/null", ...filter, ...paths, ...injections, ...node];
    execFile("strace", args, { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === "number" ? code : undefined, stdout, stderr });
    });
  });
}

/** The calls that change a file or make it durable; `openat` makes or empties one. */
export const tracedSyscalls = ["openat", "write", "pwrite64", "ftruncate", "fsync", "fdatasync", "rename", "unlink"] as const;
export type TracedSyscall = (typeof tracedSyscalls)[number];

/** As `runTraced`, killed right before its `when`-th call of one kind. */
export const killAtSyscall = (run: Omit<TracedRun, "inject">, step: TracedSyscall, when: number): Promise<TracedExit> =>
  runTraced({ ...run, inject: [`${step}:signal=KILL:when=${when}`] });
