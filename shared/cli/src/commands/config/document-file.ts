import { readFile, writeFile } from "node:fs/promises";
import { ok, type Result } from "@realmwatch/shared/model/result";
import { errorCode } from "@realmwatch/shared/platform/error-text";
import { describeFileError } from "@realmwatch/shared/platform/files/describe-file-error";
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

const whyOf = (error: unknown): string =>
  error instanceof TypeError ? "it is not valid UTF-8" : describeFileError(errorCode(error));
