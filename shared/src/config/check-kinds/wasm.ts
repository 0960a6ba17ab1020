import { quoteWord } from "../../text/command/shell-words.ts";
import { programVariants } from "../schema/program.ts";
import { checkKind } from "./check-kind.ts";

export type WasmSpec = { readonly type: "wasm"; readonly module: string; readonly args: readonly string[] };

export const wasmCheckKind = checkKind({
  ...programVariants.wasm,
  compile: ({ module, args }): WasmSpec => ({ type: "wasm", module, args }),
  target: ({ module, args }) => [module, ...args.map(quoteWord)].join(" "),
});
