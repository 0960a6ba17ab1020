import type { Result } from "../../../model/result.ts";
import type { CueCommandOutput } from "./command.ts";

/** Data with which a CUE worker starts: its limit, as `MemoryLimit` has it. */
export type CueWorkerData = { readonly memoryBytes: number; readonly residentBefore: number };

/** Request to a CUE worker. Requests must not overlap. `sharedBy`: number of workers that share the memory. */
export type CueRequest =
  | { readonly kind: "evaluate"; readonly source: string; readonly sharedBy: number }
  | { readonly kind: "command"; readonly args: readonly string[]; readonly files: ReadonlyMap<string, string> };

export type CueReply =
  | { readonly kind: "evaluated"; readonly result: Result<string, string> }
  | { readonly kind: "output"; readonly output: CueCommandOutput }
  | { readonly kind: "out_of_memory"; readonly message: string };
