import { readdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import type { Diagnostic } from "../model/diagnostic.ts";
import { fail, ok, type Result } from "../model/result.ts";
import type { CueFile } from "../platform/cue/source/source-position.ts";
import { describeFileError } from "../platform/files/describe-file-error.ts";
import { readRegularFile } from "../platform/files/regular-file.ts";

/** Source of a document: a file, a directory of `*.cue` files, or a text with a name. */
export type DocumentSource =
  | {
      readonly kind: "path";
      readonly path: string;
      /** Maximum size of the file, bytes. Default: 64 MiB, as for each file of a directory. */
      readonly maxBytes?: number;
    }
  | { readonly kind: "text"; readonly text: string; readonly name: string };

/** Naming of files in diagnostics: the path as the user gave it, or its last part. */
export type FileNaming = "given" | "base";

/** Maximum size of a file, bytes. Larger than any API request may be. */
const maxBytes = 64 * 1024 * 1024;

/** Reads the files of a document, those of a directory sorted by name. Fails with one diagnostic. */
export async function readSource(
  source: DocumentSource,
  names: FileNaming,
): Promise<Result<readonly CueFile[], readonly Diagnostic[]>> {
  const displayName = (path: string): string => (names === "base" ? basename(path) : path);
  if (source.kind === "text") return ok([{ name: displayName(source.name), text: source.text }]);
  try {
    const isDirectory = (await stat(source.path)).isDirectory();
    const paths = isDirectory ? await documentsIn(source.path) : [source.path];
    if (paths.length === 0)
      return fail([sourceDiagnostic(displayName(source.path), "the directory holds no *.cue file")]);
    const files: CueFile[] = [];
    for (const path of paths) {
      const bytes = await readRegularFile(path, isDirectory ? maxBytes : (source.maxBytes ?? maxBytes));
      if (!bytes.ok) return fail([unreadable(displayName(path), bytes.error)]);
      const read = decode(displayName(path), bytes.value);
      if (!read.ok) return read;
      files.push(read.value);
    }
    return ok(files);
  } catch (error) {
    const { code = "unknown error" } = error as NodeJS.ErrnoException;
    return fail([unreadable(displayName(source.path), code)]);
  }
}

const unreadable = (file: string, why: string): Diagnostic =>
  sourceDiagnostic(file, `cannot be read: ${describeFileError(why)}`);

async function documentsIn(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const names = entries.filter((entry) => !entry.isDirectory() && entry.name.endsWith(".cue")).map(({ name }) => name);
  // A mounted ConfigMap contains a hidden copy of every file.
  return names
    .filter((name) => !name.startsWith("."))
    .sort()
    .map((name) => join(directory, name));
}

const sourceDiagnostic = (file: string, message: string, line = 1): Diagnostic => ({ message, file, line, column: 1 });

function decode(name: string, bytes: Buffer): Result<CueFile, readonly Diagnostic[]> {
  try {
    return ok({ name, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes) });
  } catch {
    return fail([sourceDiagnostic(name, "is not valid UTF-8", lineOfBadByte(bytes))]);
  }
}

/** Number of the first line that is not valid UTF-8, from 1. */
function lineOfBadByte(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  let line = 1;
  for (let from = 0; from < bytes.length; line += 1) {
    const end = bytes.indexOf(0x0a, from);
    try {
      decoder.decode(bytes.subarray(from, end < 0 ? bytes.length : end));
    } catch {
      return line;
    }
    if (end < 0) break;
    from = end + 1;
  }
  return line;
}
