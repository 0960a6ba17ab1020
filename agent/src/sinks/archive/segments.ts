import { lstatSync, mkdirSync, realpathSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { AppendedFile } from "../transport/appended-file.ts";

const tailBytes = 1_048_576;

/**
 * Name of the segment whose first event has the number `seq`, by realm and day in UTC. Names of one realm sort in the
 * order of their events.
 */
export const segmentName = (realm: string, atMs: number, seq: number): string =>
  `${realm}/${new Date(atMs).toISOString().slice(0, 10)}/${String(seq).padStart(16, "0")}.ndjson`;

/**
 * Opens a segment below the folder `base`, and creates it and its folders when they are missing. Refuses symbolic links
 * below `base`. An incomplete last line, which a killed process leaves, is removed. Throws the system's error.
 */
export function openSegment(path: string, base: string): AppendedFile {
  makeFolders(base, dirname(path));
  const file = new AppendedFile(path);
  // A folder may have become a link since it was checked: the open file tells where it is.
  const { realPath } = file;
  if (realPath !== undefined && realPath !== join(realpathSync(base), relative(base, path))) {
    file.close();
    throw symbolicLink();
  }
  const tail = tailOf(file);
  const end = tail.lastIndexOf(0x0a) + 1;
  if (end < tail.length) file.truncate(file.bytes - tail.length + end);
  return file;
}

/** Last line without its line feed; empty when the file is empty or the line is longer than 1 MiB. */
export function lastLineOf(file: AppendedFile): string {
  const lines = tailOf(file).toString("utf8").split("\n");
  return lines.length > 2 || file.bytes <= tailBytes ? (lines.at(-2) ?? "") : "";
}

const tailOf = (file: AppendedFile): Buffer =>
  file.read(Math.max(0, file.bytes - tailBytes), Math.min(file.bytes, tailBytes));

/** Makes `base` and the folders from there to `folder`. A link in place of one of these could lead out of `base`. */
function makeFolders(base: string, folder: string): void {
  mkdirSync(base, { recursive: true, mode: 0o750 });
  let made = base;
  for (const name of relative(base, folder).split(sep)) {
    if (name === "") continue;
    made = join(made, name);
    mkdirSync(made, { recursive: true, mode: 0o750 });
    if (lstatSync(made).isSymbolicLink()) throw symbolicLink();
  }
}

const symbolicLink = () => Object.assign(new Error("a symbolic link"), { code: "ELOOP" });
