/** Sentences for the codes of the system that a wrong path, name or permission causes. */
const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  ENOTDIR: "a part of its path is not a directory",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
  ELOOP: "too many symbolic links",
};

/** Reason why a file cannot be read or written, from the system's code. Any other text is returned as it is. */
export const describeFileError = (code: string): string => reasons[code] ?? code;
