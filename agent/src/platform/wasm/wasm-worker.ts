/**
 * Thread of the helper process that runs modules one after the other, each in a new instance. When a module does not
 * end, the whole thread is terminated.
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

/** Memory of finished runs at which a garbage collection is forced, bytes: V8 does not count it as heap. */
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
    if (error instanceof wasmEngine.LinkError) return { kind: "refused", why: describeLinkError(error) };
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

/** Frees the memory of finished runs. No reference to them may be on the stack. */
function collect(): void {
  if (garbageBytes < maxGarbageBytes) return;
  garbageBytes = 0;
  globalThis.gc?.();
}

const describeLinkError = ({ message }: Error): string =>
  `its imports do not match: ${message.replace(/^.*?Import #/, "import #")}`;

const post = (message: FromWasmThread): void => parentPort?.postMessage(message);
parentPort?.on("message", (request: WasmRequest) => {
  post(run(request));
  // After the result was posted, so that it is not delayed, and with an empty stack.
  if (garbageBytes >= maxGarbageBytes) setImmediate(collect);
});
post({ kind: "ready" });
