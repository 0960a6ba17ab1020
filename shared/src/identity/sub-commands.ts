import { fail, ok } from "../model/result.ts";
import { type SubCommand, subCommand } from "../platform/process/run-program.ts";
import { newToken } from "./new-token.ts";
import { hashPassword } from "./password-hash.ts";

/** Sub-commands of agent and aggregator that create the credentials of an auth document. */
export const identitySubCommands: Readonly<Record<"hash-password" | "new-token", SubCommand>> = {
  /** Reads a password from stdin, without its line break, and prints its hash. */
  "hash-password": subCommand({
    words: [],
    flags: {},
    async run({ readStdin }) {
      const password = (await readStdin()).replace(/\r?\n$/, "");
      return password === "" ? fail("no password on standard input") : ok(await hashPassword(password));
    },
  }),
  /** Prints a new token and its hash for the auth document. */
  "new-token": subCommand({
    words: [],
    flags: {},
    async run() {
      const { token, tokenHash } = newToken();
      return ok(`token: ${token}\ntoken_hash: ${tokenHash}`);
    },
  }),
};
