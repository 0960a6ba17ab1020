import { fail, ok, type Result } from "../../model/result.ts";
import { readRegularFileSync } from "../files/regular-file.ts";
import { hideSecret, type Secret } from "./secret.ts";

/** Flag with a value. An error of `parse` is the end of a sentence about the text: `is not a duration: …`. */
type ValueFlag<T> = {
  readonly kind: "value";
  readonly help: string;
  /** Placeholder of the value in the help text, such as `DURATION`. */
  readonly placeholder: string;
  /** Default, used when neither flag nor environment variable is set; passes through `parse` too. */
  readonly fallback: string;
  readonly parse: (text: string) => Result<T, string>;
};
/** Boolean flag, `-name` or `-name=false`; off by default. */
type SwitchFlag = { readonly kind: "switch"; readonly help: string };
/** Flag with a secret value, also readable with `-name-file PATH`. Its value is never printed. */
type SecretFlag = {
  readonly kind: "secret";
  readonly help: string;
  readonly placeholder: string;
  /** Returns why the text is refused, without quoting it; undefined when it is accepted. */
  readonly refuse?: (text: string) => string | undefined;
};
/** Flags by name, without leading dashes: `api-token`. */
export type FlagTable = Readonly<Record<string, ValueFlag<unknown> | SwitchFlag | SecretFlag>>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type ValueOf<F> = F extends ValueFlag<infer T> ? T : F extends SwitchFlag ? boolean : Secret | undefined;
/** Values by camel-cased name: `-api-token` is `apiToken`. */
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T & string as CamelCase<K>]: ValueOf<T[K]> };

/** Arguments of a sub-command: positional words and its own flags. */
export type SubCommandSyntax = {
  /** Placeholders of the positional words in the help text, such as `FILE`; one in brackets, as `[FILE]`, may be absent. */
  readonly words: readonly string[];
  /** Accepted only after the sub-command's name, in addition to the program's flags; replaces one of the same name. */
  readonly flags: FlagTable;
};

type FlagInput = {
  /** Command line without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sub-commands by name, such as `hash-password`. A command line may contain at most one, among the flags. */
  readonly commands: Readonly<Record<string, SubCommandSyntax>>;
};
/** Sub-command of a parsed command line. `values`: its own flags and the program's, by camel-cased name. */
export type ParsedSubCommand = {
  readonly name: string;
  /** As many as in its syntax, without optional ones that were not given. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
};
type ParsedFlags<T extends FlagTable> = {
  readonly values: FlagValues<T>;
  readonly command: ParsedSubCommand | undefined;
};
/** Reason not to start the program. `usage`: a one-line error for stderr, with exit code 2. */
type FlagExit =
  | { readonly kind: "help"; readonly command: string | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly message: string };

/** Unparsed value and its source, `-listen` or `REALMWATCH_LISTEN`. */
type RawValue = { readonly text: string; readonly source: string };

/** Maximum size of a secret file, bytes. */
const maxSecretBytes = 65_536;

/** Parses flags and environment variables according to the table. Precedence: flag, environment, default. */
export function parseFlags<T extends FlagTable>(table: T, input: FlagInput): Result<ParsedFlags<T>, FlagExit> {
  const args = splitArgs(table, input);
  if (!args.ok) return args;
  const { given, command } = args.value;
  const parsed = parseValues(args.value.table, given, input.env);
  if (!parsed.ok) return fail({ kind: "usage", message: parsed.error });
  const values = parsed.value as FlagValues<T>;
  return ok({ values, command: command && { ...command, values: parsed.value } });
}

/** Arguments from which parsed values follow without environment and files, by the values. */
const resolved = new WeakMap<object, readonly string[]>();

/**
 * Arguments from which `parseFlags` makes the same values in another thread. Those of secrets contain them: they must
 * not be logged or passed to a process.
 */
export const resolvedArguments = (values: object): readonly string[] => resolved.get(values) ?? [];

function parseValues(
  table: FlagTable,
  args: ReadonlyMap<string, RawValue>,
  env: FlagInput["env"],
): Result<Readonly<Record<string, unknown>>, string> {
  const values: Record<string, unknown> = {};
  const texts: string[] = [];
  for (const [name, flag] of Object.entries(table)) {
    const direct = args.get(name) ?? fromEnvironment(name, flag, env);
    const file = args.get(`${name}-file`) ?? fromEnvironment(`${name}-file`, flag, env);
    const value =
      flag.kind === "secret"
        ? parseSecret(flag, direct, file)
        : direct === undefined && flag.kind === "switch"
          ? ok(false)
          : parseValue(flag, direct ?? { text: flag.kind === "value" ? flag.fallback : "", source: `-${name}` });
    if (!value.ok) return value;
    values[camelCase(name)] = value.value;
    const text = flag.kind === "secret" ? (value.value as Secret | undefined)?.reveal() : direct?.text;
    if (text !== undefined) texts.push(`-${name}=${text}`);
  }
  resolved.set(values, texts);
  return ok(values);
}

type SplitArgs = {
  /** Unparsed values by flag name. */
  readonly given: ReadonlyMap<string, RawValue>;
  /** The program's flags and those of the sub-command. */
  readonly table: FlagTable;
  readonly command: { readonly name: string; readonly words: readonly string[] } | undefined;
};

function splitArgs(own: FlagTable, { args, commands }: FlagInput): Result<SplitArgs, FlagExit> {
  const given = new Map<string, RawValue>();
  let table = own;
  let command: { readonly name: string; readonly syntax: SubCommandSyntax; readonly words: string[] } | undefined;
  for (let at = 0; at < args.length; at++) {
    const arg = args[at] ?? "";
    const parts = /^--?([^-=][^=]*)(?:=(.*))?$/s.exec(arg);
    if (parts === null) {
      if (command !== undefined && command.words.length < command.syntax.words.length) {
        command.words.push(arg);
        continue;
      }
      const syntax = command === undefined && Object.hasOwn(commands, arg) ? commands[arg] : undefined;
      if (syntax === undefined)
        return usage(`argument ${quote(arg)} is not understood; -help lists the sub-commands and flags`);
      command = { name: arg, syntax, words: [] };
      table = { ...own, ...syntax.flags };
      continue;
    }
    const name = parts[1] ?? "";
    if (name === "help" || name === "h") return fail({ kind: "help", command: command?.name });
    if (name === "version") return fail({ kind: "version" });
    const known = kindOf(table, name);
    if (known === undefined) return usage(`flag -${name} is not known; -help lists the flags`);
    const text = parts[2] ?? (known === "switch" ? "true" : args[++at]);
    if (text === undefined) return usage(`flag -${name} needs a value`);
    given.set(name, { text, source: `-${name}` });
  }
  const missing = command?.syntax.words[command.words.length];
  if (missing !== undefined && !missing.startsWith("[")) return usage(`${command?.name} needs ${missing}`);
  return ok({ given, table, command: command && { name: command.name, words: command.words } });
}

function kindOf(table: FlagTable, name: string): "value" | "switch" | "secret" | undefined {
  if (Object.hasOwn(table, name)) return table[name]?.kind;
  const base = name.endsWith("-file") ? name.slice(0, -"-file".length) : "";
  return Object.hasOwn(table, base) && table[base]?.kind === "secret" ? "value" : undefined;
}

/**
 * Reads an environment variable. An empty one counts as unset, except for a secret, where it would disable access
 * control.
 */
function fromEnvironment(name: string, flag: FlagTable[string], env: FlagInput["env"]): RawValue | undefined {
  const where = `REALMWATCH_${name.replaceAll("-", "_").toUpperCase()}`;
  const text = env[where];
  return text === undefined || (text === "" && flag.kind !== "secret") ? undefined : { text, source: where };
}

function parseValue(flag: ValueFlag<unknown> | SwitchFlag, { text, source }: RawValue): Result<unknown, string> {
  const value = flag.kind === "switch" ? parseSwitch(text) : flag.parse(text);
  return value.ok ? value : fail(`${source}: ${quote(withoutPassword(text))} ${value.error}`);
}

/** Replaces what may be the password of a URL: all between the user's colon and the last `@`. */
const withoutPassword = (text: string): string =>
  text.replace(text.includes("://") ? /(:\/\/[^/:@]*):.*@/s : /^([^/:@]*):.*@/s, "$1:[secret]@");

/** Parses `-name` or `-name-file`. A flag takes precedence over the environment, whichever of the two it sets. */
function parseSecret(
  flag: SecretFlag,
  direct: RawValue | undefined,
  file: RawValue | undefined,
): Result<Secret | undefined, string> {
  const isFlag = ({ source }: RawValue): boolean => source.startsWith("-");
  if (direct !== undefined && file !== undefined && isFlag(direct) === isFlag(file))
    return fail(`${direct.source} and ${file.source} are both given: give one`);
  const isFile = file !== undefined && (direct === undefined || isFlag(file));
  const source = isFile ? file : direct;
  if (source === undefined) return ok(undefined);
  const text = isFile ? readSecretFile(source.text) : ok(source.text);
  if (!text.ok) return fail(`${source.source}: ${text.error}`);
  const refused = text.value === "" ? "is empty" : flag.refuse?.(text.value);
  return refused === undefined ? ok(hideSecret(text.value)) : fail(`${source.source}: the value ${refused}`);
}

/** Reads a secret from a file, without one trailing line break. */
function readSecretFile(path: string): Result<string, string> {
  const read = readRegularFileSync(path, maxSecretBytes);
  return read.ok
    ? ok(read.value.toString("utf8").replace(/\r?\n$/, ""))
    : fail(`file ${quote(path)} cannot be read: ${read.error}`);
}

function parseSwitch(text: string): Result<boolean, string> {
  if (["true", "1", "t"].includes(text.toLowerCase())) return ok(true);
  if (["false", "0", "f"].includes(text.toLowerCase())) return ok(false);
  return fail("is not a boolean: use true or false");
}

const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
const usage = (message: string): { readonly ok: false; readonly error: FlagExit } => fail({ kind: "usage", message });
