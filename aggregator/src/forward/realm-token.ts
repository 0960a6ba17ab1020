import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
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

function readToken(source: TokenSource, environment: Environment): Result<Secret | undefined, string> {
  switch (source.kind) {
    case "none":
      return ok(undefined);
    case "env":
      return checked(environment[source.name], `token_env: environment variable ${source.name}`);
    case "file":
      try {
        return checked(readFileSync(source.path, "utf8").trim(), `token_file: ${JSON.stringify(source.path)}`);
      } catch (error) {
        const code = (error as NodeJS.ErrnoException).code ?? "unknown error";
        return fail(`token_file: ${JSON.stringify(source.path)} cannot be read: ${code}`);
      }
  }
}

function checked(token: string | undefined, where: string): Result<Secret, string> {
  if (token === undefined || token === "") return fail(`${where} holds no token; set it, or remove the field`);
  if (!/^[!-~]+$/.test(token)) return fail(`${where} contains characters that a bearer token cannot have`);
  return ok(hideSecret(token));
}
