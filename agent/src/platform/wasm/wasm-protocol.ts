import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

/** Message from the pool to its helper process. */
export type ToWasmHelper =
  | { readonly kind: "start"; readonly id: number; readonly request: WasmRequest }
  | { readonly kind: "abort"; readonly id: number };
/** Message from the helper process to the pool. */
export type FromWasmHelper = { readonly id: number; readonly outcome: WasmOutcome };

/** Message from a thread of the helper. The module's output is in shared memory; see `WasmOutput`. */
export type FromWasmThread =
  | { readonly kind: "ready" }
  | { readonly kind: "exited"; readonly code: number; readonly elapsedMs: number }
  | { readonly kind: "trapped"; readonly why: string; readonly elapsedMs: number }
  | { readonly kind: "refused"; readonly why: string };
