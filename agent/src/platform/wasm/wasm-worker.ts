/**
 * A thread of the helper: it runs one module after the other, each in an instance of its own. A module that does not
 * end takes the thread with it.
 */
import { parentPort, workerData } from "node:worker_threads";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { type CompiledModule, wasmEngine } from "./wasm-engine.ts";
import { WasmModuleCache } from "./wasm-module-cache.ts";
import { WasmOutput } from "./wasm-output.ts";
import type { FromWasmThread } from "./wasm-protocol.ts";
import type { WasmRequest } from "./wasm-runner.ts";
import { openWasmSandbox, type WasmSandbox } from "./wasm-sandbox.ts";

const modules = new WasmModuleCache();
const output = new WasmOutput(workerData as SharedArrayBuffer);

/** Bytes of memory that ended runs may leave behind before they are collected; the collector does not count them. */
const maxGarbageBytes = 32 * 2 ** 20;
let garbageBytes = 0;

function run({ module: path, args, env }: WasmRequest): FromWasmThread {
  const startedMs = systemClock.monotonic();
  const loaded = modules.load(path);
  if (!loaded.ok) return { kind: "refused", why: loaded.error };
  const elapsed = (): number => systemClock.monotonic() - startedMs;
  try {
    return {
      kind: "exited",
      code: execute(loaded.value, openWasmSandbox([path, ...args], env, output)),
      elapsedMs: elapsed(),
    };
  } catch (error) {
    if (error instanceof wasmEngine.LinkError) return { kind: "refused", why: sayLink(error) };
    return { kind: "trapped", why: error instanceof Error ? error.message : "an exception", elapsedMs: elapsed() };
  }
}

function execute(module: CompiledModule, sandbox: WasmSandbox): number {
  const instance = new wasmEngine.Instance(module, sandbox.imports);
  try {
    return sandbox.start(instance);
  } finally {
    garbageBytes += (instance.exports["memory"] as { readonly buffer: ArrayBuffer }).buffer.byteLength;
  }
}

/** Frees the memory of runs that have ended. Nothing of them may be on the stack. */
function collect(): void {
  if (garbageBytes < maxGarbageBytes) return;
  garbageBytes = 0;
  globalThis.gc?.();
}

const sayLink = ({ message }: Error): string =>
  `its imports do not fit: ${message.replace(/^.*?Import #/, "import #")}`;

const tell = (said: FromWasmThread): void => parentPort?.postMessage(said);
parentPort?.on("message", (request: WasmRequest) => {
  tell(run(request));
  // After the answer, so that nobody waits for it, and in a turn of its own.
  if (garbageBytes >= maxGarbageBytes) setImmediate(collect);
});
tell({ kind: "ready" });
