import { statfsSync } from "node:fs";

/** Free space for this user on the file system of a folder, bytes; 0 when it cannot be determined. */
export function freeDiskBytes(folder: string): number {
  try {
    const { bavail, bsize } = statfsSync(folder);
    return bavail * bsize;
  } catch {
    return 0;
  }
}
