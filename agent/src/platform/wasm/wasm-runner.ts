import type { ProgramOutcome, ProgramOutput } from "../programs/program-runner.ts";

/** A WASI preview 1 command module to run. It sees its arguments and `env`, and nothing else of this machine. */
export type WasmRequest = {
  /** Path of the file, which is also the program's own name for itself. */
  readonly module: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  /** ms, above 0, from when the module is loaded on. */
  readonly timeoutMs: number;
};

export type WasmOutcome =
  | ProgramOutcome
  /** It broke a rule of WebAssembly, as reading outside its memory does. */
  | (ProgramOutput & { readonly kind: "trapped"; readonly why: string; readonly elapsedMs: number })
  /** It is not run at all; `why` is a phrase. */
  | { readonly kind: "refused"; readonly why: string };

/** Runs modules away from the caller's process, a bounded number at a time, first come, first served. */
export interface WasmRunner {
  /** Never rejects. */
  run(request: WasmRequest, signal?: AbortSignal): Promise<WasmOutcome>;
  /** Aborts what runs or waits and resolves once no process is left. */
  close(): Promise<void>;
}
