/** A program to run. Everything is given as it reaches `execve`; there is no shell unless `argv` names one. */
export type ProgramRequest = {
  /** The file, looked up in PATH where it holds no slash, and its arguments. */
  readonly argv: readonly [string, ...string[]];
  /** On top of the few variables that every program gets. */
  readonly env?: Readonly<Record<string, string>>;
  /** Written to standard input, which is empty otherwise. */
  readonly stdin?: string;
  /** ms from the program's start, above 0. Then its whole process group is killed. */
  readonly timeoutMs: number;
};

/** What it printed, at most 64 KiB each, invalid UTF-8 replaced. What came beyond was read and dropped. */
export type ProgramOutput = { readonly stdout: string; readonly stderr: string; readonly truncated: boolean };

type Ran = ProgramOutput & { /** From its start, ms. */ readonly elapsedMs: number };

export type ProgramOutcome =
  | (Ran & { readonly kind: "exited"; readonly code: number })
  | (Ran & { readonly kind: "signalled"; readonly signal: string })
  | (Ran & { readonly kind: "timed_out" })
  | {
      readonly kind: "not_started";
      readonly why: StartFailure;
      /** Of the system: `ENOENT`. */
      readonly code: string;
    }
  /** What ran it died or stopped answering. */
  | { readonly kind: "lost" }
  /** The caller's signal or `close` came first. */
  | { readonly kind: "aborted" };

export type StartFailure = "missing" | "not_executable" | "too_long" | "no_resources" | "refused";

/** Why a program did not start, for people. */
export const startFailureTexts: Readonly<Record<StartFailure, string>> = {
  missing: "there is no such program",
  not_executable: "it is not executable by the agent",
  too_long: "its arguments are too long",
  no_resources: "the machine has no process, memory or file to spare",
  refused: "the system refused",
};

/** Runs programs away from the caller's process, a bounded number at a time, first come, first served. */
export interface ProgramRunner {
  /** Never rejects. */
  run(request: ProgramRequest, signal?: AbortSignal): Promise<ProgramOutcome>;
  /** Aborts what runs or waits and resolves once no process is left. */
  close(): Promise<void>;
}

/** What a pool of programs has seen since it was opened; `running` and `waiting` are now. */
export type ProgramCounts = {
  readonly running: number;
  readonly waiting: number;
  readonly started: number;
  readonly timedOut: number;
  /** Programs that printed more than is kept. */
  readonly truncated: number;
  /** Tries to start one that failed for want of processes, memory or descriptors. */
  readonly noResources: number;
  /** Processes that had left their program's group and were killed. */
  readonly strays: number;
};
