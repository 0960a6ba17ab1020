/** The part of `cue-wasm` in use; the package brings no types. */
declare module "cue-wasm" {
  /** @returns functions of the engine; `toJSON` throws CUE's first error as a string. */
  export function init(variant?: "full"): Promise<{ toJSON(source: string): string }>;
}
