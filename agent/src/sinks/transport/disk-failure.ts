import { type RetryableFailure, retry } from "../../platform/outbound/delivery-result.ts";

/** Descriptions of system errors of files. The path is not part of them: viewers see the text. */
const descriptions: Readonly<Record<string, string>> = {
  ENOENT: "its folder does not exist",
  ENOTDIR: "its folder does not exist",
  EACCES: "access to its file is denied",
  EPERM: "access to its file is denied",
  ELOOP: "its path is a symbolic link, which is refused",
  EMLINK: "its file has other names too (hard links), which is refused",
  EISDIR: "its path is a folder",
  ENOTFILE: "its path is not a regular file",
  ENXIO: "its path is not a regular file",
  ENOSPC: "the disk is full",
  EDQUOT: "the disk quota is exceeded",
  EROFS: "the disk is read-only",
  EIO: "the disk failed",
  EMFILE: "too many open files",
};

/** Failure of a write to a file. It is always retried, because every cause can be repaired outside of the agent. */
export function diskFailure(error: unknown): RetryableFailure {
  const code = error instanceof Error && "code" in error ? String(error.code) : "";
  return retry("disk", descriptions[code] ?? `its file cannot be written (${code})`);
}
