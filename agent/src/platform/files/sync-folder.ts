import { open } from "node:fs/promises";

/** Puts a folder's own entries on the disk: a file's new name outlives a crash only then. Rejects as the system does. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
