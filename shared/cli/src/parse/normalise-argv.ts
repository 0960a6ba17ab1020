import { fail, ok, type Result } from "@realmwatch/shared/model/result";

/** A flag of any command, by every name that it can be written with, dashes left out: `quiet`, `q`. */
export type KnownFlags = ReadonlyMap<string, { readonly long: string; readonly takesValue: boolean }>;

/**
 * Rewrites a command line so that the argument parser, which wants two dashes and no value that begins with one,
 * takes what all our programs take: `-flag value`, `-flag=value`, one dash or two, `-switch=false`. A flag's value is
 * bound to it (`--flag=value`), whatever it begins with. Flags that nobody knows keep their name and lose their
 * value, which may be a secret; saying so is left to the parser.
 *
 * @returns the arguments; else why a switch was refused, as a sentence
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
