import { statfsSync } from "node:fs";

/** What the disk of a folder has left for this user, bytes; 0 where it cannot be asked. */
export function freeDiskBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
