import { fail, ok, type Result } from "../../../model/result.ts";
import { type GoImports, limitMemory } from "./memory-limit.ts";
import { type WasmMemory, wasm } from "./wasm-api.ts";

/** Evaluates one document to JSON text; else CUE's first complaint, which has no position. */
export type CueEvaluator = (source: string) => Result<string, string>;

/**
 * Loads the evaluator (about 0.5 s). It takes over globals, so call it in a worker thread only. What the evaluator
 * has grown to stays until the thread ends: Go gives no memory back.
 *
 * @throws MemoryLimitReached from an evaluation that needs more than `memoryBytes`
 */
export async function loadCueEvaluator(memoryBytes: number): Promise<CueEvaluator> {
  const instantiate = wasm.instantiate;
  const limited = async (bytes: Uint8Array, imports: GoImports) => {
    let memory: WasmMemory | undefined;
    limitMemory(imports, memoryBytes, () => memory);
    const module = await wasm.compile(bytes);
    const instance = await instantiate(module, imports);
    memory = instance.exports.mem;
    return { module, instance };
  };
  // The package instantiates its program itself; this is the only way to have a say in its imports.
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
    // CUE's complaints are thrown strings; anything else is a fault of the engine or its limit.
    if (typeof error === "string") return fail(error);
    throw error;
  }
}
