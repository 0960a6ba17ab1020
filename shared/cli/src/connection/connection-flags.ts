import { realmNamePattern } from "@realmwatch/shared/model/realm";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { oneOf, optionalHttpUrl, optionalText } from "@realmwatch/shared/platform/flags/flag-parsers";
import { type FlagTable, type FlagValues, parseFlags } from "@realmwatch/shared/platform/flags/flags";

/** A bearer token goes into a header: what cannot stand there would fail later, and less clearly. */
const tokenPattern = /^[!-~]+$/;

function serverUrl(text: string): Result<string, string> {
  const url = optionalHttpUrl(text);
  if (!url.ok) return url;
  return url.value === undefined ? fail("is no http or https URL") : ok(url.value);
}

function realmName(text: string): Result<string | undefined, string> {
  if (text === "") return ok(undefined);
  return realmNamePattern.test(text) ? ok(text) : fail("is no realm name");
}

/** The flags of every command, each also an environment variable. */
export const connectionFlags = {
  output: {
    kind: "value",
    help: "How answers are printed: table or json.",
    placeholder: "FORMAT",
    fallback: "table",
    parse: oneOf(["table", "json"]),
  },
  server: {
    kind: "value",
    help: "Agent or aggregator to ask.",
    placeholder: "URL",
    fallback: "http://127.0.0.1:8080",
    parse: serverUrl,
  },
  token: {
    kind: "secret",
    help: "Bearer token.",
    placeholder: "TOKEN",
    refuse: (text) => (tokenPattern.test(text) ? undefined : "has characters that no bearer token can have"),
  },
  "target-realm": {
    kind: "value",
    help: "Realm that commands go to where an aggregator is asked; reads are narrowed to it.",
    placeholder: "NAME",
    fallback: "",
    parse: realmName,
  },
  author: {
    kind: "value",
    help: "Name that commands are recorded under where the server authenticates nobody; the login name by default.",
    placeholder: "NAME",
    fallback: "",
    parse: optionalText,
  },
} as const satisfies FlagTable;

export type ConnectionFlags = FlagValues<typeof connectionFlags>;
type Environment = Readonly<Record<string, string | undefined>>;

/**
 * Settles the flags of every command: what was said on the command line, else the environment, else the default.
 *
 * @param said texts by the flag's name, `token-file` included
 * @returns else one sentence that names the flag or variable and never quotes a secret
 */
export function readConnection(said: ReadonlyMap<string, string>, env: Environment): Result<ConnectionFlags, string> {
  const args = [...said].map(([name, text]) => `-${name}=${text}`);
  const read = parseFlags(connectionFlags, { args, env, commands: {} });
  if (!read.ok) return fail(read.error.kind === "usage" ? read.error.message : "is not understood");
  const { server } = read.value.values;
  const { username, password } = new URL(server);
  // The URL stands in messages; a password must not.
  if (username !== "" || password !== "") return fail("-server must not hold a user or a password: use -token");
  return ok(read.value.values);
}
