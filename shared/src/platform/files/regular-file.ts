import { closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";
import { open } from "node:fs/promises";
import { fail, ok, type Result } from "../../model/result.ts";
import { errorCode } from "../error-text.ts";
import { systemClock } from "../system-clock.ts";

/** Without O_NONBLOCK, opening a pipe that has no writer would wait for ever. */
const readingFlags = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY;

/** Time after which a file that cannot be read, for example on a dead network disk, is given up, ms. */
const deadlineMs = 10_000;
const chunkBytes = 65_536;

type Kind = { isFile(): boolean; isDirectory(): boolean; readonly size: number };

function refusalOf(found: Kind, maxBytes: number): string | undefined {
  if (found.isDirectory()) return "EISDIR";
  if (!found.isFile()) return "it is not a regular file";
  return found.size > maxBytes ? tooLarge(maxBytes) : undefined;
}

/** Size as people read it: a whole number of MiB, KiB or bytes. */
function tooLarge(bytes: number): string {
  const [unit, name] = bytes % 2 ** 20 === 0 ? [2 ** 20, "MiB"] : bytes % 1_024 === 0 ? [1_024, "KiB"] : [1, "bytes"];
  return `it is larger than ${bytes / unit} ${name}`;
}

/**
 * Reads a whole regular file of at most `maxBytes`, following links. Kind and size are checked before, and the size
 * again while reading, because files of the kernel have the size 0.
 *
 * @returns the system's error code or a clause such as `it is not a regular file` on failure
 */
export function readRegularFileSync(path: string, maxBytes: number): Result<Buffer, string> {
  let file: number | undefined;
  try {
    const refused = refusalOf(statSync(path), maxBytes);
    if (refused !== undefined) return fail(refused);
    file = openSync(path, readingFlags);
    const changed = refusalOf(fstatSync(file), maxBytes);
    if (changed !== undefined) return fail(changed);
    const chunks: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const chunk = Buffer.alloc(chunkBytes);
      const length = readSync(file, chunk);
      if (length === 0) return ok(Buffer.concat(chunks));
      bytes += length;
      if (bytes > maxBytes) return fail(tooLarge(maxBytes));
      chunks.push(chunk.subarray(0, length));
    }
  } catch (error) {
    return fail(errorCode(error));
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Reads a whole regular file as `readRegularFileSync` does, and gives up after ten seconds. Never rejects. */
export function readRegularFile(path: string, maxBytes: number): Promise<Result<Buffer, string>> {
  return new Promise((resolve) => {
    const cancel = systemClock.after(deadlineMs, () => resolve(fail("it could not be read in time")));
    void read(path, maxBytes).then((result) => {
      cancel();
      resolve(result);
    });
  });
}

async function read(path: string, maxBytes: number): Promise<Result<Buffer, string>> {
  try {
    await using handle = await open(path, readingFlags);
    const found = await handle.stat();
    const refused = refusalOf(found, maxBytes);
    if (refused !== undefined) return fail(refused);
    const chunks: Buffer[] = [];
    for (let bytes = 0; ; ) {
      const chunk = Buffer.alloc(Math.max(chunkBytes, Math.min(found.size - bytes, maxBytes)));
      const { bytesRead } = await handle.read(chunk);
      if (bytesRead === 0) return ok(Buffer.concat(chunks));
      bytes += bytesRead;
      if (bytes > maxBytes) return fail(tooLarge(maxBytes));
      chunks.push(chunk.subarray(0, bytesRead));
    }
  } catch (error) {
    return fail(errorCode(error));
  }
}
