import { execFile, spawnSync } from "node:child_process";
import { existsSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Run of a module under strace. */
type TracedRun = {
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

/** Compile cache of the module, which is started hundreds of times. */
const compileCache = mkdtempSync(join(tmpdir(), "realmwatch-compiled-"));
process.once("exit", () => rmSync(compileCache, { recursive: true, force: true }));

/** Folder in memory for files of traced programs: a kill leaves the same state as on a disk, in less time. */
export const memoryFolder = existsSync("/dev/shm") ? "/dev/shm" : tmpdir();

/** Runs a module under strace to its end. */
export function runTraced({ module, words, files, inject }: TracedRun): Promise<TracedExit> {
  const node = [process.execPath, "--disable-warning=ExperimentalWarning", module, ...words];
  const paths = files.flatMap((file) => ["-P", file]);
  const injections = inject.flatMap((text) => ["-e", `inject=${text}`]);
  // Other calls pass without a stop by seccomp. Signal injections need the stop at the call itself, so not with seccomp.
  const calls = inject.map((text) => text.split(":", 1)[0]).join(",") || "none";
  const filter = [
    "-e",
    `trace=${calls}`,
    ...(inject.some((text) => text.includes(":signal=")) ? [] : ["--seccomp-bpf"]),
  ];
  // One thread for asynchronous file operations, so that calls have a fixed order and count.
  const env = { ...process.env, UV_THREADPOOL_SIZE: "1", NODE_COMPILE_CACHE: compileCache };
  return new Promise((resolve) => {
    const args = ["-f", "-qq", "-o", "/dev/null", ...filter, ...paths, ...injections, ...node];
    execFile("strace", args, { env }, (error, stdout, stderr) => {
      const code = error === null ? 0 : error.code;
      resolve({ code: typeof code === "number" ? code : undefined, stdout, stderr });
    });
  });
}

/** System calls that change a file or sync it; `openat` creates or truncates one. */
export const tracedSyscalls = [
  "openat",
  "write",
  "pwrite64",
  "ftruncate",
  "fsync",
  "fdatasync",
  "rename",
  "unlink",
] as const;
type TracedSyscall = (typeof tracedSyscalls)[number];

/** Runs a module that is killed right before its `when`-th call of one system call. */
export const killAtSyscall = (
  run: Omit<TracedRun, "inject">,
  syscall: TracedSyscall,
  when: number,
): Promise<TracedExit> => runTraced({ ...run, inject: [`${syscall}:signal=KILL:when=${when}`] });
