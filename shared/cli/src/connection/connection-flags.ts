import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf, optionalHttpUrl } from "@realmwatch/shared/platform/flags/flag-parsers";
import { type FlagTable, type FlagValues, parseFlags } from "@realmwatch/shared/platform/flags/flags";
import { fileFlag, optionalFlag, textFlag } from "@realmwatch/shared/platform/flags/optional-flags";
import { outputFormats } from "../output/cli-output.ts";

/** Characters that are valid in a bearer token, checked here for a clear error message. */
const tokenPattern = /^[!-~]+$/;

function serverUrl(text: string): Result<string, string> {
  const url = optionalHttpUrl(text);
  if (!url.ok) return url;
  return url.value === undefined ? fail("is not an http or https URL") : ok(url.value);
}

function realmName(text: string): Result<string | undefined, string> {
  if (text === "") return ok(undefined);
  return realmNamePattern.test(text) ? ok(text) : fail("is not a realm name");
}

/** Global flags, each also an environment variable. */
export const connectionFlags = {
  output: {
    kind: "value",
    help: `Output format: ${outputFormats.join(", ")}.`,
    placeholder: "FORMAT",
    fallback: "table",
    parse: oneOf(outputFormats),
  },
  server: {
    kind: "value",
    help: "Agent or aggregator to connect to.",
    placeholder: "URL",
    fallback: "http://127.0.0.1:8080",
    parse: serverUrl,
  },
  token: {
    kind: "secret",
    help: "Bearer token.",
    placeholder: "TOKEN",
    refuse: (text) => (tokenPattern.test(text) ? undefined : "has characters that are not valid in a bearer token"),
  },
  ca: fileFlag("Authorities that sign the server's certificate, instead of those that Node.js knows."),
  cert: fileFlag("Certificate of this client, for a server that requires one; needs -key."),
  key: fileFlag("Private key of -cert."),
  "target-realm": optionalFlag(
    "Realm that an aggregator forwards commands to; queries are limited to it.",
    "NAME",
    realmName,
  ),
  author: textFlag("Author of commands if the server has no authentication; the login name by default.", "NAME"),
} as const satisfies FlagTable;

export type ConnectionFlags = FlagValues<typeof connectionFlags>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Reads the global flags from the command line, else from the environment, else their defaults.
 *
 * @param given values by flag name, `token-file` included
 * @returns the values; on failure one sentence that names the flag or variable and never quotes a secret
 */
export function readConnection(given: ReadonlyMap<string, string>, env: Environment): Result<ConnectionFlags, string> {
  const args = [...given].map(([name, text]) => `-${name}=${text}`);
  const read = parseFlags(connectionFlags, { args, env, commands: {} });
  if (!read.ok) return fail(read.error.kind === "usage" ? read.error.message : "the flags could not be read");
  const { server } = read.value.values;
  const { username, password } = new URL(server);
  // Messages quote the URL, which therefore must not contain a password.
  if (username !== "" || password !== "") return fail("-server must not contain a user or a password: use -token");
  return ok(read.value.values);
}
