import { readFileSync, type Stats, statSync } from "node:fs";
import { WASI } from "node:wasi";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCodeOf } from "../network/describe-error.ts";
import { limitModuleMemory, pageBytes } from "./wasm-binary.ts";
import { type CompiledModule, wasmEngine } from "./wasm-engine.ts";

/** What a module's memory grows to at most. */
const maxMemoryBytes = 64 * 2 ** 20;
/** Larger files are not read: a compiler needs several times their size. */
const maxFileBytes = 64 * 2 ** 20;
/** Compiled modules that are kept, the last used ones. */
const keptModules = 32;

export const wasiImportModule = "wasi_snapshot_preview1";

type Kept = { readonly version: string; readonly module: CompiledModule };

/** Reads and compiles modules, each version of a file once. Blocks: it belongs into a thread of its own. */
export class WasmModuleCache {
  readonly #kept = new Map<string, Kept>();

  /** The module of a file as it is now, or a phrase that says why it cannot be run. */
  load(path: string): Result<CompiledModule, string> {
    const found = statFile(path);
    if (!found.ok) return found;
    const version = versionOf(found.value);
    const known = this.#kept.get(path);
    this.#kept.delete(path);
    if (known?.version === version) {
      this.#kept.set(path, known);
      return ok(known.module);
    }
    const compiled = compile(path);
    if (!compiled.ok) return compiled;
    this.#kept.set(path, { version, module: compiled.value });
    if (this.#kept.size > keptModules) this.#kept.delete(this.#kept.keys().next().value ?? "");
    return compiled;
  }
}

const versionOf = ({ ino, size, mtimeMs, ctimeMs }: Stats): string => [ino, size, mtimeMs, ctimeMs].join(" ");

function statFile(path: string): Result<Stats, string> {
  try {
    const found = statSync(path);
    if (!found.isFile()) return fail("it is no file");
    if (found.size > maxFileBytes)
      return fail(
        `its ${Math.round(found.size / 2 ** 20)} MiB are more than the ${maxFileBytes / 2 ** 20} MiB allowed`,
      );
    return ok(found);
  } catch (error) {
    return fail(sayUnreadable(error));
  }
}

function compile(path: string): Result<CompiledModule, string> {
  let bytes: Uint8Array;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    return fail(sayUnreadable(error));
  }
  const capped = limitModuleMemory(bytes, maxMemoryBytes / pageBytes);
  if (!capped.ok) return capped;
  try {
    const module = new wasmEngine.Module(new Uint8Array(capped.value));
    const fault = faultOf(module);
    return fault === "" ? ok(module) : fail(fault);
  } catch (error) {
    return fail(`it does not compile: ${error instanceof Error ? error.message : error}`);
  }
}

/** Why a module that compiles is no command; empty where it is one. */
function faultOf(module: CompiledModule): string {
  const { wasiImport } = new WASI({ version: "preview1" });
  for (const { module: from, name, kind } of wasmEngine.Module.imports(module)) {
    const isOffered = from === wasiImportModule && kind === "function" && Object.hasOwn(wasiImport, name);
    if (!isOffered) return `it imports the ${kind} ${from}.${name}, which is not part of WASI preview 1`;
  }
  const exported = new Map(wasmEngine.Module.exports(module).map(({ name, kind }) => [name, kind]));
  if (exported.get("_start") !== "function") return "it exports no function _start, so it is no command";
  if (exported.get("memory") !== "memory") return "it exports no memory";
  return exported.has("_initialize") ? "it exports _initialize, as libraries do" : "";
}

function sayUnreadable(error: unknown): string {
  const code = errorCodeOf(error);
  if (code === "ENOENT" || code === "ENOTDIR") return `there is no such file (${code})`;
  return code === "EACCES" ? `the agent may not read it (${code})` : `it cannot be read (${code})`;
}
