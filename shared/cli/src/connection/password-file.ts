import { ok, type Result } from "@realmwatch/shared/model/result";
import { readRegularFileSync } from "@realmwatch/shared/platform/files/regular-file";
import { type CliFailure, commandFailed } from "../output/cli-failure.ts";

const maxPasswordFileBytes = 1_048_576;

/** Password in a file, without the line break at its end. */
export function readPasswordFile(file: string): Result<string, CliFailure> {
  const read = readRegularFileSync(file, maxPasswordFileBytes);
  if (!read.ok) return commandFailed(`${file} cannot be read: ${read.error}`);
  return ok(read.value.toString("utf8").replace(/\r?\n$/, ""));
}
