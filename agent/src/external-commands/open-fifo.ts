import { closeSync, constants, fchmodSync, fstatSync, lstatSync, openSync, type Stats, statSync } from "node:fs";
import { dirname } from "node:path";
import { getSystemErrorName } from "node:util";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import koffi from "koffi";

/** Owner and group may write commands. */
const mode = 0o660;
const { O_RDWR, O_WRONLY, O_NONBLOCK, O_NOFOLLOW } = constants;

export type FifoFile = {
  /** Open for reading and writing, so that reads never reach an end of file, and non-blocking. */
  readonly fd: number;
  /** Identifies the FIFO if another file is at its path later. */
  readonly inode: bigint;
  /** Risks that do not prevent the use, as sentences. */
  readonly warnings: readonly string[];
};

/**
 * Creates the FIFO if there is none, and opens it. An existing FIFO is reused when it belongs to this user and no other
 * process reads it; any other file is left unchanged.
 *
 * @returns the FIFO, or the reason why it cannot be opened, as a sentence that names the path
 */
export function openFifo(path: string): Result<FifoFile, string> {
  const found = statPath(path);
  const refused = found === undefined ? undefined : refusalOf(found, path);
  if (refused !== undefined) return fail(refused);
  try {
    if (found === undefined) makeFifo(path);
    else if (isRead(path)) return fail(`the command file ${path} is read by another process already`);
    const fd = openSync(path, O_RDWR | O_NONBLOCK | O_NOFOLLOW);
    const opened = fstatSync(fd, { bigint: true });
    if (!opened.isFIFO() || opened.nlink !== 1n) {
      closeSync(fd);
      return fail(`the command file ${path} was replaced while it was opened`);
    }
    fchmodSync(fd, mode);
    return ok({ fd, inode: opened.ino, warnings: warningsFor(path) });
  } catch (error) {
    return fail(`cannot open the command file ${path}: ${errorText(error)}`);
  }
}

/** Status of the file at the path, links not followed; undefined when it does not exist or is not accessible. */
export const statPath = (path: string): Stats | undefined => {
  try {
    return lstatSync(path, { throwIfNoEntry: false });
  } catch {
    return undefined;
  }
};

function refusalOf(found: Stats, path: string): string | undefined {
  const instead = "move it away or choose another -command-file";
  if (found.isSymbolicLink()) return `the command file ${path} is a symbolic link, which is not followed: ${instead}`;
  if (!found.isFIFO()) return `the command file ${path} exists already and is not a FIFO: ${instead}`;
  if (found.nlink !== 1) return `the command file ${path} has other names too (hard links): ${instead}`;
  const us = process.geteuid?.();
  if (us !== undefined && us !== 0 && found.uid !== us)
    return `the command file ${path} belongs to user ${found.uid}, not to the agent's own (${us}): ${instead}`;
  return undefined;
}

/** True when another process reads the FIFO: opening it for writing without blocking fails otherwise. */
function isRead(path: string): boolean {
  try {
    closeSync(openSync(path, O_WRONLY | O_NONBLOCK | O_NOFOLLOW));
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENXIO") return false;
    throw error;
  }
}

function makeFifo(path: string): void {
  const libc = koffi.load(null);
  const mkfifo = libc.func("int mkfifo(const char *, uint32_t)");
  if (mkfifo(path, mode) === 0) return;
  throw new Error(`the FIFO cannot be created: ${getSystemErrorName(-koffi.errno())}`);
}

const [worldWritable, sticky] = [0o002, 0o1000];

function warningsFor(path: string): readonly string[] {
  const folder = dirname(path);
  const { mode: bits } = statSync(folder);
  return (bits & worldWritable) !== 0 && (bits & sticky) === 0
    ? [`all users may write to ${folder}, and so replace the command file in it`]
    : [];
}
