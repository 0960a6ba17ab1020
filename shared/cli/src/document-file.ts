import { readFile, writeFile } from "node:fs/promises";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type Failure, problem } from "./failure.ts";

/** A configuration document from a file. Only one file: what the server serves is one document. */
export async function readDocument(path: string): Promise<Result<string, Failure>> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path)));
  } catch (error) {
    return problem(`${path} cannot be read: ${whyOf(error)}`);
  }
}

/** Writes a document for its owner alone: it may hold secrets. An existing file keeps its permissions. */
export async function writeDocument(path: string, text: string): Promise<Result<undefined, Failure>> {
  try {
    await writeFile(path, text, { mode: 0o600 });
    return ok(undefined);
  } catch (error) {
    return problem(`${path} cannot be written: ${whyOf(error)}`);
  }
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "no such file or directory",
  EACCES: "permission denied",
  EISDIR: "it is a directory",
};

function whyOf(error: unknown): string {
  if (error instanceof TypeError) return "it is not valid UTF-8";
  const { code = "unknown error" } = error as NodeJS.ErrnoException;
  return reasons[code] ?? code;
}
