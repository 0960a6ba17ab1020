import type { ProgramOutcome, ProgramOutput } from "../programs/program-runner.ts";

/** WASI preview 1 command to run. It can access its arguments and `env`, but no files, network or other variables. */
export type WasmRequest = {
  /** Path of the file; also argument 0. */
  readonly module: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** Time limit from the start of loading, ms, above 0. */
  readonly timeoutMs: number;
};

export type WasmOutcome =
  | ProgramOutcome
  /** The module trapped, for example by an access outside its memory. */
  | (ProgramOutput & { readonly kind: "trapped"; readonly why: string; readonly elapsedMs: number })
  /** The module was not run; `why` is a phrase. */
  | { readonly kind: "refused"; readonly why: string };

/** Runs modules in a helper process, a bounded number concurrently, in order of arrival. */
export interface WasmRunner {
  /** Never rejects. */
  run(request: WasmRequest, signal?: AbortSignal): Promise<WasmOutcome>;
  /** Aborts running and waiting modules; resolves when the helper process has exited. */
  close(): Promise<void>;
}
