/** Types of the used part of `cue-wasm`, which has no type declarations. */
declare module "cue-wasm" {
  /** Loads the engine. `toJSON` throws CUE's first error as a string. */
  export function init(variant?: "full"): Promise<{ toJSON(source: string): string }>;
}
