import { randomBytes } from "node:crypto";
import { constants, type FileHandle, lstat, open, readdir, rm } from "node:fs/promises";
import { basename, dirname, join } from "node:path";

/** File that did not exist before, beside the one that it will replace. */
export type NewFile = { readonly path: string; readonly handle: FileHandle };

/** End of the name of a new file, or of one that SQLite keeps beside it. */
const suffix = /^\.[0-9a-f]{16}\.new(?:-wal|-shm|-journal)?$/;

/**
 * Opens a new file of a random name beside `path`, for a rename to `path` once it is complete. No link is followed and
 * no existing file is opened. Files of an interrupted call for the same path are removed. Rejects with the system's
 * error, and where `path` is a device, a pipe or a socket, which the rename would remove.
 *
 * @param mode permissions, less the process' mask
 */
export async function openNewFile(path: string, mode: number): Promise<NewFile> {
  await refuseSpecialFile(path);
  await removeLeftovers(path);
  const { O_CREAT, O_EXCL, O_NOFOLLOW, O_WRONLY } = constants;
  const beside = `${path}.${randomBytes(8).toString("hex")}.new`;
  return { path: beside, handle: await open(beside, O_CREAT | O_EXCL | O_NOFOLLOW | O_WRONLY, mode) };
}

async function refuseSpecialFile(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined);
  // A rename to a folder fails by itself.
  if (found === undefined || found.isFile() || found.isSymbolicLink() || found.isDirectory()) return;
  throw Object.assign(new Error("it is not a regular file"), { code: "it is not a regular file" });
}

async function removeLeftovers(path: string): Promise<void> {
  const [folder, name] = [dirname(path), basename(path)];
  for (const entry of await readdir(folder).catch(() => []))
    if (entry.startsWith(name) && suffix.test(entry.slice(name.length)))
      await rm(join(folder, entry), { force: true }).catch(() => undefined);
}
