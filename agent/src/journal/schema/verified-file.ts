import { statSync } from "node:fs";

/** File as it was when its content was last known to be intact. */
export type VerifiedFile = {
  readonly path: string;
  readonly inode: number;
  readonly bytes: number;
  readonly modifiedMs: number;
};

/** Notes a file whose content is intact; undefined when it is missing. */
export function noteVerifiedFile(path: string): VerifiedFile | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found && { path, inode: found.ino, bytes: found.size, modifiedMs: found.mtimeMs };
}

/** True when a file was not changed since it was noted. */
export function isStillVerified(path: string, noted: VerifiedFile | undefined): boolean {
  const found = noted && noteVerifiedFile(path);
  return (
    found !== undefined &&
    noted?.path === path &&
    found.inode === noted.inode &&
    found.bytes === noted.bytes &&
    found.modifiedMs === noted.modifiedMs
  );
}
