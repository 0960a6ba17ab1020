import { fail, ok, type Result } from "../../../model/result.ts";
import { type GoImports, limitMemory, type MemoryLimit } from "./memory-limit.ts";
import { type WasmMemory, wasm } from "./wasm-api.ts";

/** Evaluates one document to JSON text. Fails with CUE's first error, which has no position. */
type CueEvaluator = (source: string) => Result<string, string>;

/**
 * Loads the evaluator (about 0.5 s). It replaces globals, so call it only in a worker thread. Its memory is released
 * only when the thread ends, because Go never shrinks WebAssembly memory.
 *
 * @throws MemoryLimitReached from an evaluation that needs more memory
 */
export async function loadCueEvaluator(limit: MemoryLimit): Promise<CueEvaluator> {
  const instantiate = wasm.instantiate;
  const limited = async (bytes: Uint8Array, imports: GoImports) => {
    let memory: WasmMemory | undefined;
    limitMemory(imports, limit, () => memory);
    const module = await wasm.compile(bytes);
    const instance = await instantiate(module, imports);
    memory = instance.exports.mem;
    return { module, instance };
  };
  // The package instantiates its program itself: replacing `instantiate` is the only way to change its imports.
  wasm.instantiate = limited as typeof instantiate;
  try {
    const { init } = await import("cue-wasm");
    const cue = await init();
    return (source) => evaluate(cue.toJSON, source);
  } finally {
    wasm.instantiate = instantiate;
  }
}

function evaluate(toJson: (source: string) => string, source: string): Result<string, string> {
  try {
    return ok(toJson(source));
  } catch (error) {
    // CUE's errors are thrown strings; anything else is a fault of the engine or the memory limit.
    if (typeof error === "string") return fail(error);
    throw error;
  }
}
