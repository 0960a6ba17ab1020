import { existsSync } from "node:fs";
import { enableCompileCache, flushCompileCache } from "node:module";
import { join } from "node:path";

/** Variable by which a thread finds the cache. */
const variable = "NODE_COMPILE_CACHE";
let folder: string | undefined;

/**
 * Keeps the compiled code of modules that are loaded from now on in a folder of the data directory, for later starts.
 * Does nothing while that directory is missing, because it is created elsewhere, with the access rights that it needs.
 */
export function useCompileCache(dataDir: string): void {
  if (process.env[variable] !== undefined || !existsSync(dataDir)) return;
  folder = join(dataDir, "compile-cache");
  enableCompileCache(folder);
}

/** Writes what was compiled since the start: a process that is killed would lose it. */
export function writeCompileCache(): void {
  if (folder !== undefined) flushCompileCache();
}

/** The variable by which a thread uses the cache too; none without a cache. */
export function compileCacheVariable(): Readonly<Record<string, string>> {
  const used = folder ?? process.env[variable];
  return used === undefined ? {} : { [variable]: used };
}
