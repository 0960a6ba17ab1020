import { stat } from "node:fs/promises";

/**
 * Text by which a folder differs from its copies: inode and time of creation, which only a copy of the whole block device
 * takes along. Empty when the folder cannot be read.
 */
export async function folderIdentity(path: string): Promise<string> {
  try {
    const { ino, birthtimeNs } = await stat(path, { bigint: true });
    return `${ino}-${birthtimeNs}`;
  } catch {
    return "";
  }
}
