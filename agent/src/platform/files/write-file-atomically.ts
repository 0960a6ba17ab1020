import { rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { openNewFile } from "@realmwatch/shared/platform/files/new-file";
import { syncFolder } from "./sync-folder.ts";

/**
 * Writes a new file of a random name and renames it into place, never through a link: readers see either the old or the new content. Each piece is
 * written before the next one is requested from `pieces`, so that a generator never holds the whole text in memory.
 *
 * @returns the system's message on failure; the old file is unchanged then
 */
export async function writeFileAtomically(path: string, pieces: Iterable<string>): Promise<Result<void, string>> {
  let beside: string | undefined;
  try {
    const { path: created, handle } = await openNewFile(path, 0o640);
    beside = created;
    try {
      for (const piece of pieces) await handle.appendFile(piece);
      await handle.sync();
    } finally {
      await handle.close();
    }
    await rename(created, path);
    await syncFolder(dirname(path));
    return ok(undefined);
  } catch (error) {
    if (beside !== undefined) await rm(beside, { force: true }).catch(() => undefined);
    return fail(errorText(error));
  }
}
