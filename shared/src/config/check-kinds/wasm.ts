import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type WasmSpec = { readonly type: "wasm"; readonly module: string; readonly args: readonly string[] };

export const wasmCheckKind = checkKind({
  ...programVariants.wasm,
  runs: "module",
  compile: ({ module, args }): WasmSpec => ({ type: "wasm", module, args }),
});
