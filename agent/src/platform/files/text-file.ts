import { type FileHandle, open, readFile, realpath, rename, rm, stat, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { syncFolder } from "./sync-folder.ts";

/** Errors of `rename` that say that the file is a mount point of its own: then it can only be written in place. */
const mountedFile = new Set(["EBUSY", "EXDEV"]);

const codeOf = (error: unknown): string => (error as NodeJS.ErrnoException).code ?? "unknown error";

async function writeSynced(handle: FileHandle, text: string): Promise<void> {
  await handle.writeFile(text);
  await handle.sync();
}

/** The new text beside the old file, on disk, then in its place: a crash leaves the one or the other. */
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

/** What is being written in place is kept whole under this name until it is there: a crash may come in between. */
const wholeCopy = (path: string): string => `${path}.replacing`;

/** Writes over a file that cannot be renamed. Its new text is whole beside it already. */
async function overwriteFile(path: string, text: string): Promise<void> {
  const copy = wholeCopy(path);
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

/** Finishes what a crash interrupted in the middle of a file that was being written in place. For the start. */
export async function finishServedFile(path: string): Promise<void> {
  try {
    const real = await realpath(path);
    const text = await readFile(wholeCopy(real), "utf8");
    await writeFile(`${real}.new`, text, { flush: true });
    await overwriteFile(real, text);
  } catch {
    // There is no such copy, as almost always; or it cannot be read or written, and then the document says what it says.
  }
}

/** The served document, byte for byte. Fails where it is a folder or cannot be read, with the system's code. */
export async function readServedFile(path: string): Promise<Result<string, string>> {
  try {
    return ok(await readFile(path, "utf8"));
  } catch (error) {
    return fail(codeOf(error));
  }
}

/** Rewrites the served document, behind a symbolic link where there is one. A file that is not writable stays. */
export async function writeServedFile(path: string, text: string): Promise<Result<void, string>> {
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
