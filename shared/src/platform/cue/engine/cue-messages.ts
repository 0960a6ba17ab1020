import type { Result } from "../../../model/result.ts";
import type { CueCommandOutput } from "./command.ts";

/** Request to a CUE worker. Requests must not overlap. */
export type CueRequest =
  | { readonly kind: "evaluate"; readonly source: string }
  | { readonly kind: "command"; readonly args: readonly string[]; readonly files: ReadonlyMap<string, string> };

export type CueReply =
  | { readonly kind: "evaluated"; readonly result: Result<string, string> }
  | { readonly kind: "output"; readonly output: CueCommandOutput }
  | { readonly kind: "out_of_memory"; readonly message: string };
