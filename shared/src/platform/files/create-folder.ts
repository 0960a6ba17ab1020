import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder and those above it with a mode, unless they exist. The recursive `mkdir` of Node.js never returns
 * for a path below `/proc`, where creating a folder fails as if the folder above were missing.
 *
 * @throws the system's error
 */
export function createFolder(path: string, mode: number): void {
  const isFolder = (at: string): boolean => statSync(at, { throwIfNoEntry: false })?.isDirectory() === true;
  if (isFolder(path)) return;
  const above = dirname(path);
  if (above !== path && !isFolder(above)) createFolder(above, mode);
  try {
    mkdirSync(path, { mode });
  } catch (error) {
    if (!isFolder(path)) throw error;
  }
}
