import { fail, ok, type Result } from "../words/result.ts";
import { newToken } from "./new-token.ts";
import { hashPassword } from "./password-hash.ts";

/** The words on either program's command line that make what an auth document needs. */
export const identitySubCommands = {
  /** Reads a password from stdin, without its line break, and prints its hash. */
  "hash-password": async (readStdin: () => Promise<string>): Promise<Result<string, string>> => {
    const password = (await readStdin()).replace(/\r?\n$/, "");
    return password === "" ? fail("no password on standard input") : ok(await hashPassword(password));
  },
  /** Prints a fresh token and what the auth document says of it. */
  "new-token": async (): Promise<Result<string, string>> => {
    const { token, tokenHash } = newToken();
    return ok(`token: ${token}\ntoken_hash: ${tokenHash}`);
  },
} as const;
