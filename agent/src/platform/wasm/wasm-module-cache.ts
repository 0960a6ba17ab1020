import { type Stats, statSync } from "node:fs";
import { WASI } from "node:wasi";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { readRegularFileSync } from "@realmwatch/shared/platform/files/regular-file";
import { errorCodeOf } from "../network/describe-error.ts";
import { limitModuleMemory, pageBytes } from "./wasm-binary.ts";
import { type CompiledModule, wasmEngine } from "./wasm-engine.ts";

/** Maximum memory of a module. */
const maxMemoryBytes = 64 * 2 ** 20;
/** Maximum file size: compilation needs several times as much memory. */
const maxFileBytes = 64 * 2 ** 20;
/** Maximum number of cached compiled modules; the least recently used one is evicted. */
const maxCachedModules = 32;

export const wasiImportModule = "wasi_snapshot_preview1";

type Cached = { readonly version: string; readonly module: CompiledModule };

/** Reads and compiles modules, each version of a file once. Blocks, and therefore runs in a worker thread. */
export class WasmModuleCache {
  readonly #cache = new Map<string, Cached>();

  /** Returns the compiled module of a file's current version, or a phrase with the reason why it cannot be run. */
  load(path: string): Result<CompiledModule, string> {
    const found = statFile(path);
    if (!found.ok) return found;
    const version = versionOf(found.value);
    const known = this.#cache.get(path);
    this.#cache.delete(path);
    if (known?.version === version) {
      this.#cache.set(path, known);
      return ok(known.module);
    }
    const compiled = compile(path);
    if (!compiled.ok) return compiled;
    this.#cache.set(path, { version, module: compiled.value });
    if (this.#cache.size > maxCachedModules) this.#cache.delete(this.#cache.keys().next().value ?? "");
    return compiled;
  }
}

const versionOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => [ino, size, mtimeMs, ctimeMs].join(" ");

function statFile(path: string): Result<Stats, string> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return fail("it is not a file");
    if (found.size > maxFileBytes)
      return fail(
        `its ${Math.round(found.size / 2 ** 20)} MiB are more than the ${maxFileBytes / 2 ** 20} MiB allowed`,
      );
    return ok(found);
  } catch (error) {
    return fail(describeUnreadable(error));
  }
}

function compile(path: string): Result<CompiledModule, string> {
  // The file may be another one by now: a pipe, for which this thread would wait, or one that is larger.
  const read = readRegularFileSync(path, maxFileBytes);
  if (!read.ok) return fail(`it cannot be read (${read.error})`);
  const capped = limitModuleMemory(read.value, maxMemoryBytes / pageBytes);
  if (!capped.ok) return capped;
  try {
    const module = new wasmEngine.Module(new Uint8Array(capped.value));
    const fault = faultOf(module);
    return fault === "" ? ok(module) : fail(fault);
  } catch (error) {
    return fail(`it does not compile: ${errorText(error)}`);
  }
}

/** Reason why a compiled module is not a WASI command; empty when it is one. */
function faultOf(module: CompiledModule): string {
  const { wasiImport } = new WASI({ version: "preview1" });
  for (const { module: from, name, kind } of wasmEngine.Module.imports(module)) {
    const isOffered = from === wasiImportModule && kind === "function" && Object.hasOwn(wasiImport, name);
    if (!isOffered) return `it imports the ${kind} ${from}.${name}, which is not part of WASI preview 1`;
  }
  const exported = new Map(wasmEngine.Module.exports(module).map(({ name, kind }) => [name, kind]));
  if (exported.get("_start") !== "function") return "it exports no function _start, so it is not a command";
  if (exported.get("memory") !== "memory") return "it exports no memory";
  return exported.has("_initialize") ? "it exports _initialize, so it is a library" : "";
}

function describeUnreadable(error: unknown): string {
  const code = errorCodeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return `the file does not exist (${code})`;
  return code === "EACCES" ? `the agent may not read it (${code})` : `it cannot be read (${code})`;
}
