import { type FileHandle, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { syncFolder } from "./sync-folder.ts";

/** Errors of `rename` when the target is a mount point, as a bind-mounted file is: it can only be written in place. */
const mountedFile = new Set(["EBUSY", "EXDEV"]);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

async function writeSynced(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.sync();
}

/** Writes and syncs `${path}.new` and renames it to `path`: after a crash `path` has either the old or the new text. */
async function replaceFile(path: string, text: string): Promise<void> {
  const { mode } = await stat(path);
  const beside = `${path}.new`;
  const handle = await open(beside, "w", mode & 0o777);
  try {
    await writeSynced(handle, text);
  } finally {
    await handle.close();
  }
  try {
    await rename(beside, path);
  } catch (error) {
    if (mountedFile.has(codeOf(error))) return overwriteFile(path, text);
    await rm(beside, { force: true });
    throw error;
  }
  await syncFolder(dirname(path));
}

/** Complete new text of a file that is being written in place; recovery after a crash reads it. */
const recoveryCopy = (path: string): string => `${path}.replacing`;

/** Overwrites a file that cannot be replaced by renaming. Expects the complete new text in `${path}.new`. */
async function overwriteFile(path: string, text: string): Promise<void> {
  const copy = recoveryCopy(path);
  await rename(`${path}.new`, copy);
  await syncFolder(dirname(path));
  const handle = await open(path, "r+");
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
    const text = await readFile(recoveryCopy(real), "utf8");
    await writeFile(`${real}.new`, text, { flush: true });
    await overwriteFile(real, text);
  } catch {
    // Almost always there is no copy. If it cannot be read or written, the file keeps its current content.
  }
}

/** Reads a UTF-8 file. The error is the system's code, such as `ENOENT` or `EISDIR`. */
export async function readTextFile(path: string): Promise<Result<string, string>> {
  try {
    return ok(await readFile(path, "utf8"));
  } catch (error) {
    return fail(codeOf(error));
  }
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
    return fail(codeOf(error));
  }
}
