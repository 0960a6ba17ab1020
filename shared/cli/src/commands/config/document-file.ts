import { readFile, writeFile } from "node:fs/promises";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CommandFailure, commandFailed } from "../../output/command-failure.ts";

/** A configuration document from a file. Only one file: what the server serves is one document. */
export async function readDocumentFile(path: string): Promise<Result<string, CommandFailure>> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path)));
  } catch (error) {
    return commandFailed(`${path} cannot be read: ${whyOf(error)}`);
  }
}

/** Writes a document for its owner alone: it may hold secrets. An existing file keeps its permissions. */
export async function writeDocumentFile(path: string, text: string): Promise<Result<undefined, CommandFailure>> {
  try {
    await writeFile(path, text, { mode: 0o600 });
    return ok(undefined);
  } catch (error) {
    return commandFailed(`${path} cannot be written: ${whyOf(error)}`);
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
