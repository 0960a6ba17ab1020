import { readFile, writeFile } from "node:fs/promises";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { type CliFailure, commandFailed } from "../../output/cli-failure.ts";

/** Reads a configuration document from one file, because a server runs on one document. */
export async function readDocumentFile(path: string): Promise<Result<string, CliFailure>> {
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readFile(path)));
  } catch (error) {
    return commandFailed(`${path} cannot be read: ${whyOf(error)}`);
  }
}

/** Writes a document with permissions for its owner only: it may hold secrets. An existing file keeps its own. */
export async function writeDocumentFile(path: string, text: string): Promise<Result<undefined, CliFailure>> {
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
