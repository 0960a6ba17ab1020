import { never } from "@realmwatch/shared/model/never";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { readRegularFileSync } from "@realmwatch/shared/platform/files/regular-file";
import { hideSecret, type Secret } from "@realmwatch/shared/platform/flags/secret";
import type { RealmsPlan, TokenSource } from "../realms/realms-document.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the tokens of all realms that have one.
 *
 * @returns tokens by realm; else one line for each that cannot be read, which never quotes a token
 */
export function readRealmTokens(
  realms: RealmsPlan,
  environment: Environment,
): Result<ReadonlyMap<string, Secret>, readonly string[]> {
  const tokens = new Map<string, Secret>();
  const problems: string[] = [];
  for (const { name, token } of realms.values()) {
    const read = readToken(token, environment);
    if (!read.ok) problems.push(`realm ${JSON.stringify(name)}: ${read.error}`);
    else if (read.value !== undefined) tokens.set(name, read.value);
  }
  return problems.length === 0 ? ok(tokens) : fail(problems);
}

/** Maximum size of a token file, bytes. */
const maxTokenBytes = 65_536;

function readToken(source: TokenSource, environment: Environment): Result<Secret | undefined, string> {
  switch (source.kind) {
    case "none":
      return ok(undefined);
    case "env":
      return checked(environment[source.name], `token_env: environment variable ${source.name}`);
    case "file":
      return readTokenFile(source.path);
    default:
      return never(source);
  }
}

function readTokenFile(path: string): Result<Secret | undefined, string> {
  const read = readRegularFileSync(path, maxTokenBytes);
  const where = `token_file: ${JSON.stringify(path)}`;
  return read.ok ? checked(read.value.toString("utf8").trim(), where) : fail(`${where} cannot be read: ${read.error}`);
}

function checked(token: string | undefined, where: string): Result<Secret, string> {
  if (token === undefined || token === "") return fail(`${where} holds no token; set it, or remove the field`);
  if (!/^[!-~]+$/.test(token)) return fail(`${where} contains characters that a bearer token cannot have`);
  return ok(hideSecret(token));
}
