import { constants } from "node:fs";
import { posix } from "node:path";

type Done = (error: Error | null, value?: unknown) => void;

const failure = (code: string): Error => Object.assign(new Error(code), { code });
const directory = {
  dev: 0,
  ino: 1,
  mode: 0o40755,
  nlink: 1,
  uid: 0,
  gid: 0,
  rdev: 0,
  size: 0,
  blksize: 4096,
  blocks: 0,
  atimeMs: 0,
  mtimeMs: 0,
  ctimeMs: 0,
  isDirectory: () => true,
};
const statOfFile = ({ length: size }: Buffer) => ({ ...directory, mode: 0o100644, size, isDirectory: () => false });
const isRoot = (path: string): boolean => posix.resolve("/", path) === "/";
const refused =
  "chmod chown fchmod fchown ftruncate lchown link mkdir readlink rename rmdir symlink truncate unlink utimes";

/**
 * Creates an in-memory file system for a Go program in WebAssembly: read-only files in the root directory and the
 * captured standard output and error. The program has no access to the real file system.
 */
export function memoryFiles(texts: ReadonlyMap<string, string>) {
  const files = new Map([...texts].map(([name, text]) => [posix.resolve("/", name), Buffer.from(text)]));
  const printed: Record<1 | 2, Buffer[]> = { 1: [], 2: [] };
  const open = new Map<number, { readonly bytes: Buffer; at: number }>();
  let next = 10;

  function stat(path: string, done: Done): void {
    const bytes = files.get(posix.resolve("/", path));
    if (bytes !== undefined) done(null, statOfFile(bytes));
    else if (isRoot(path)) done(null, directory);
    else done(failure("ENOENT"));
  }
  function print(fd: number, bytes: Uint8Array): boolean {
    if (fd === 1 || fd === 2) printed[fd].push(Buffer.from(bytes));
    return fd === 1 || fd === 2;
  }
  const fs: Record<string, unknown> = {
    constants,
    stat,
    lstat: stat,
    fstat(fd: number, done: Done) {
      const file = open.get(fd);
      if (file === undefined) done(failure("EBADF"));
      else done(null, statOfFile(file.bytes));
    },
    open(path: string, _flags: number, _mode: number, done: Done) {
      const bytes = files.get(posix.resolve("/", path));
      if (bytes === undefined) return done(failure("ENOENT"));
      open.set(++next, { bytes, at: 0 });
      done(null, next);
    },
    read(fd: number, into: Uint8Array, offset: number, length: number, position: number | null, done: Done) {
      const file = open.get(fd);
      if (file === undefined) return done(fd === 0 ? null : failure("EBADF"), 0);
      const from = position ?? file.at;
      const part = file.bytes.subarray(from, from + length);
      into.set(part, offset);
      if (position === null) file.at += part.length;
      done(null, part.length);
    },
    writeSync: (fd: number, bytes: Uint8Array) => (print(fd, bytes) ? bytes.length : 0),
    write(fd: number, from: Uint8Array, offset: number, length: number, _position: number | null, done: Done) {
      if (print(fd, from.subarray(offset, offset + length))) done(null, length);
      else done(failure("EBADF"));
    },
    close(fd: number, done: Done) {
      open.delete(fd);
      done(null);
    },
    readdir(path: string, done: Done) {
      const names = [...files.keys()].map((name) => posix.basename(name));
      if (isRoot(path)) done(null, names);
      else done(failure("ENOENT"));
    },
    fsync: (_fd: number, done: Done) => done(null),
  };
  for (const name of refused.split(" ")) fs[name] = (...all: unknown[]) => (all.at(-1) as Done)(failure("ENOSYS"));
  return { fs, printed: (fd: 1 | 2) => Buffer.concat(printed[fd]).toString("utf8") };
}
