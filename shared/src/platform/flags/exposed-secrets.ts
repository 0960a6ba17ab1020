import type { FlagTable } from "./flags.ts";

/** True for a URL without a user; only others hold a secret. */
const isPlainUrl = (text: string): boolean => text.includes("://") && !text.includes("@");

/** Names of the secret flags whose secret is on a command line, where every user of the machine can read it. */
export function exposedSecrets(table: FlagTable, args: readonly string[]): readonly string[] {
  const found = args.flatMap((arg, at) => {
    const [, name = "", value = args[at + 1] ?? ""] = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg) ?? [];
    const isSecret = Object.hasOwn(table, name) && table[name]?.kind === "secret";
    return isSecret && value !== "" && !isPlainUrl(value) ? [`-${name}`] : [];
  });
  return [...new Set(found)];
}

/** Part of a logger. */
type Warn = { readonly warn: (fields: object, message: string) => void };

/** Warns of secrets on this process' command line. */
export function warnOfExposedSecrets(table: FlagTable, log: Warn): void {
  const flags = exposedSecrets(table, process.argv.slice(2));
  if (flags.length > 0)
    log.warn(
      { flags },
      "secrets on the command line are visible in the process list: use -<flag>-file or the environment",
    );
}
