/** Program to run, with empty standard input. Strings are passed to execve(2) unchanged; a shell runs only if `argv` names it. */
export type ProgramRequest = {
  /** File, looked up in PATH when it contains no slash, and arguments. */
  readonly argv: readonly [string, ...string[]];
  /** Variables in addition to those that every program inherits. */
  readonly env?: Readonly<Record<string, string>>;
  /** Time from the program's start until its process group is killed, ms, above 0. */
  readonly timeoutMs: number;
};

/** Captured output, at most 64 KiB per stream, with invalid UTF-8 replaced. Further bytes were dropped (`truncated`). */
export type ProgramOutput = { readonly stdout: string; readonly stderr: string; readonly truncated: boolean };

type Ran = ProgramOutput & { /** Time since its start, ms. */ readonly elapsedMs: number };

export type ProgramOutcome =
  | (Ran & { readonly kind: "exited"; readonly code: number })
  | (Ran & { readonly kind: "signalled"; readonly signal: string })
  | (Ran & { readonly kind: "timed_out" })
  | {
      readonly kind: "not_started";
      readonly why: StartFailure;
      /** Error code of the system, such as `ENOENT`. */
      readonly code: string;
    }
  /** The helper process died or hung. */
  | { readonly kind: "lost" }
  /** Aborted by the caller's signal or by `close`. */
  | { readonly kind: "aborted" };

export type StartFailure = "missing" | "not_executable" | "too_long" | "no_resources" | "refused";

/** Descriptions of start failures. */
export const startFailureTexts: Readonly<Record<StartFailure, string>> = {
  missing: "there is no such program",
  not_executable: "it is not executable by the agent",
  too_long: "its arguments are too long",
  no_resources: "the machine has no free process, memory or file descriptor",
  refused: "the system refused",
};

/** Runs programs outside the caller's process, a bounded number concurrently, in order of arrival. */
export interface ProgramRunner {
  /** Never rejects. */
  run(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramOutcome>;
  /** Aborts running and waiting programs; resolves when no process is left. */
  close(): Promise<void>;
}

/** Counters of a pool since it was opened; `running` and `waiting` are current numbers. */
export type ProgramCounts = {
  readonly running: number;
  readonly waiting: number;
  readonly started: number;
  readonly timedOut: number;
  /** Programs whose output was truncated. */
  readonly truncated: number;
  /** Starts that failed for lack of processes, memory or descriptors. */
  readonly noResources: number;
  /** Killed processes that had left their program's group. */
  readonly strays: number;
};
