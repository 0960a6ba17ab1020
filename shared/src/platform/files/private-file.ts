import { constants, type FileHandle, open, rename, rm } from "node:fs/promises";
import { dirname } from "node:path";
import { fail, ok, type Result } from "../../model/result.ts";
import { errorCode } from "../error-text.ts";
import { type NewFile, openNewFile } from "./new-file.ts";

/** Permissions of files that hold secrets or security state: their owner only. */
const ownerOnly = 0o600;

/**
 * Writes a file of mode 0600: to a new file of a random name beside it, which is then renamed. Neither a link at `path`
 * nor one beside it is followed, and readers see either the old or the new content.
 *
 * @returns the system's error code on failure; the old file is unchanged then
 */
export async function replacePrivateFile(path: string, text: string): Promise<Result<undefined, string>> {
  let beside: NewFile | undefined;
  try {
    beside = await openNewFile(path, ownerOnly);
    await writeSynced(beside.handle, text);
    await rename(beside.path, path);
    await writeSynced(await open(dirname(path), "r"), "");
    return ok(undefined);
  } catch (error) {
    if (beside !== undefined) await rm(beside.path, { force: true }).catch(() => undefined);
    return fail(errorCode(error));
  }
}

/** Appends to a file of mode 0600, which is created when it does not exist; a link is refused. @returns the error code */
export async function appendPrivateFile(path: string, text: string): Promise<Result<undefined, string>> {
  const { O_APPEND, O_CREAT, O_NOFOLLOW, O_WRONLY } = constants;
  try {
    await writeSynced(await open(path, O_APPEND | O_CREAT | O_NOFOLLOW | O_WRONLY, ownerOnly), text);
    return ok(undefined);
  } catch (error) {
    return fail(errorCode(error));
  }
}

/**
 * Reads a regular file of at most `maxBytes`; undefined when it does not exist. A link is refused.
 *
 * @returns the system's error code, `not a regular file` or `larger than … bytes` on failure
 */
export async function readPrivateFile(path: string, maxBytes: number): Promise<Result<string | undefined, string>> {
  const { O_NOFOLLOW, O_NONBLOCK, O_RDONLY } = constants;
  try {
    // Without O_NONBLOCK opening a pipe that has no writer would wait for ever.
    await using handle = await open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK);
    const found = await handle.stat();
    if (!found.isFile()) return fail("not a regular file");
    if (found.size > maxBytes) return fail(`larger than ${maxBytes} bytes`);
    return ok(await handle.readFile("utf8"));
  } catch (error) {
    return errorCode(error) === "ENOENT" ? ok(undefined) : fail(errorCode(error));
  }
}

async function writeSynced(handle: FileHandle, text: string): Promise<void> {
  try {
    if (text !== "") await handle.writeFile(text);
    await handle.sync();
  } finally {
    await handle.close();
  }
}
