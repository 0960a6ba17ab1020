import { constants } from "node:fs";
import { type FileHandle, lstat, open, realpath, rename, rm, stat } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorCode, errorText } from "@realmwatch/shared/platform/error-text";
import { openNewFile } from "@realmwatch/shared/platform/files/new-file";
import { readRegularFile } from "@realmwatch/shared/platform/files/regular-file";
import { syncFolder } from "./sync-folder.ts";

/** Maximum size of a file, bytes: that of a document. */
const maxTextBytes = 64 * 2 ** 20;

/** Errors of `rename` when the target is a mount point, as a bind-mounted file is: it can only be written in place. */
const mountedFile = new Set(["EBUSY", "EXDEV"]);

async function writeSynced(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.sync();
}

/** Writes and syncs a new file and renames it to `path`: after a crash `path` has either the old or the new text. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  const beside = await writeBeside(path, text, mode & 0o777);
  try {
    await rename(beside, path);
  } catch (error) {
    if (mountedFile.has(errorCode(error))) return overwriteFile(path, text, beside);
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

async function writeBeside(path: string, text: string, mode: number): Promise<string> {
  const { path: beside, handle } = await openNewFile(path, mode);
  try {
    await writeSynced(handle, text);
  } finally {
    await handle.close();
  }
  return beside;
}

/** Complete new text of a file that is being written in place; recovery after a crash reads it. */
const recoveryCopy = (path: string): string => `${path}.replacing`;

/** Overwrites a file that cannot be replaced by renaming. `complete`: path of a file with the complete new text. */
async function overwriteFile(path: string, text: string, complete: string): Promise<void> {
  const copy = recoveryCopy(path);
  await rename(complete, copy);
  await syncFolder(dirname(path));
  const handle = await open(path, constants.O_RDWR | constants.O_NOFOLLOW);
  try {
    await handle.truncate(0);
    await writeSynced(handle, text);
  } finally {
    await handle.close();
  }
  await rm(copy);
  await syncFolder(dirname(path));
}

/** Completes an in-place write that a crash interrupted. To be called at startup. */
export async function finishInterruptedReplace(path: string): Promise<void> {
  try {
    const real = await realpath(path);
    if (!(await lstat(recoveryCopy(real))).isFile()) return;
    const text = await readRegularFile(recoveryCopy(real), maxTextBytes);
    if (text.ok)
      await overwriteFile(
        real,
        text.value.toString("utf8"),
        await writeBeside(real, text.value.toString("utf8"), 0o600),
      );
  } catch {
    // Almost always there is no copy. If it cannot be read or written, the file keeps its current content.
  }
}

/** Reads a UTF-8 file. The error is the system's code, such as `ENOENT` or `EISDIR`, or a clause. */
export async function readTextFile(path: string): Promise<Result<string, string>> {
  const read = await readRegularFile(path, maxTextBytes);
  return read.ok ? ok(read.value.toString("utf8")) : read;
}

/** Replaces the content of a file, following symbolic links. A file without write permission is left unchanged. */
export async function replaceTextFile(path: string, text: string): Promise<Result<void, string>> {
  try {
    const real = await realpath(path);
    const handle = await open(real, "r+");
    await handle.close();
    await replaceFile(real, text);
    return ok(undefined);
  } catch (error) {
    return fail(errorCode(error));
  }
}

/** True when the path leads to a folder, also through a link. */
export async function isFolder(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found?.isDirectory() ?? false;
}

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
