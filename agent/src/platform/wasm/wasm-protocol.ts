import type { WasmOutcome, WasmRequest } from "./wasm-runner.ts";

/** What travels between the pool and its helper process. */
export type ToWasmHelper =
  | { readonly kind: "start"; readonly id: number; readonly request: WasmRequest }
  | { readonly kind: "abort"; readonly id: number };
export type FromWasmHelper = { readonly id: number; readonly outcome: WasmOutcome };

/** What a thread of the helper tells it. What the module printed lies in the memory that they share. */
export type FromWasmThread =
  | { readonly kind: "ready" }
  | { readonly kind: "exited"; readonly code: number; readonly elapsedMs: number }
  | { readonly kind: "trapped"; readonly why: string; readonly elapsedMs: number }
  | { readonly kind: "refused"; readonly why: string };
