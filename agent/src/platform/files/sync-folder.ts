import { open } from "node:fs/promises";

/** Syncs a directory to disk, without which a rename in it can be lost in a crash. Rejects with the system's error. */
export async function syncFolder(path: string): Promise<void> {
  const handle = await open(path, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
