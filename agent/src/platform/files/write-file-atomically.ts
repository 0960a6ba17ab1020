import { open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a file whole and renames it into place: whoever reads it sees the old or the new one. Between two pieces it
 * awaits, so that the pieces may be made as they are needed.
 *
 * @returns the system's message where it could not; the old file is then as it was
 */
export async function writeWholeFile(path: string, pieces: Iterable<string>): Promise<Result<void, string>> {
  const beside = `${path}.new`;
  try {
    const handle = await open(beside, "w", 0o640);
    try {
      for (const piece of pieces) await handle.appendFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(beside, path);
    await syncFolder(dirname(path));
    return ok(undefined);
  } catch (error) {
    await rm(beside, { force: true }).catch(() => undefined);
    return fail(error instanceof Error ? error.message : String(error));
  }
}
