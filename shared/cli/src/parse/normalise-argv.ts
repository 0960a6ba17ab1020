import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** Flags of all commands by name and alias, without dashes: `quiet`, `q`. */
export type KnownFlags = ReadonlyMap<string, { readonly long: string; readonly takesValue: boolean }>;

/**
 * Rewrites a command line for the argument parser, which requires two dashes and rejects values that begin with one.
 * All our programs accept `-flag value`, `-flag=value`, one dash or two, `-switch=false`. A value is bound to its flag
 * (`--flag=value`). Unknown flags lose their value, which may be a secret, and are left for the parser to reject.
 *
 * @returns the arguments; on failure a sentence about the invalid switch
 */
export function normaliseArgv(args: readonly string[], known: KnownFlags): Result<string[], string> {
  const words: string[] = [];
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    if (arg === "--") return ok([...words, ...args.slice(at)]);
    const parts = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg);
    if (parts === null) {
      words.push(arg);
      continue;
    }
    const [, name = "", text] = parts;
    const flag = known.get(name);
    if (flag === undefined) words.push(`--${name}`);
    else if (flag.takesValue) {
      const value = text ?? args[++at];
      words.push(value === undefined ? `--${flag.long}` : `--${flag.long}=${value}`);
    } else if (text === undefined || isTrue.test(text)) words.push(`--${flag.long}`);
    else if (!isFalse.test(text)) return fail(`-${name} is on or off: write -${name}=true or -${name}=false`);
  }
  return ok(words);
}

const isTrue = /^(true|1|t)$/i;
const isFalse = /^(false|0|f)$/i;
