import { readFileSync } from "node:fs";
import { fail, ok, type Result } from "../../model/result.ts";
import { hideSecret, type Secret } from "./secret.ts";

/** `parse` answers why a text is refused as the end of a sentence about it: `is no duration: …`. */
export type ValueFlag<T> = {
  readonly kind: "value";
  readonly help: string;
  /** What stands for the value in the help: `DURATION`. */
  readonly placeholder: string;
  /** Taken where neither flag nor environment say anything; goes through `parse` too. */
  readonly fallback: string;
  readonly parse: (text: string) => Result<T, string>;
};
/** `-name`, `-name=false`; off by default. */
export type SwitchFlag = { readonly kind: "switch"; readonly help: string };
/** Also as `-name-file PATH`. Its value is never printed; `refuse` must not quote it. */
export type SecretFlag = {
  readonly kind: "secret";
  readonly help: string;
  readonly placeholder: string;
  /** Why the text is refused; undefined where it is not. */
  readonly refuse?: (text: string) => string | undefined;
};
/** By the flag's name as it is written, without dashes: `api-token`. */
export type FlagTable = Readonly<Record<string, ValueFlag<unknown> | SwitchFlag | SecretFlag>>;

type CamelCase<S extends string> = S extends `${infer Head}-${infer Tail}`
  ? `${Head}${Capitalize<CamelCase<Tail>>}`
  : S;
type ValueOf<F> = F extends ValueFlag<infer T> ? T : F extends SwitchFlag ? boolean : Secret | undefined;
/** The values by camel-cased name: `-api-token` is `apiToken`. */
export type FlagValues<T extends FlagTable> = { readonly [K in keyof T & string as CamelCase<K>]: ValueOf<T[K]> };

/** What may follow a sub-command's word: its own words, each of which has to be given, and flags of its own. */
export type SubCommandSyntax = {
  /** What stands for the words in the help: `FILE`. */
  readonly words: readonly string[];
  /** Known after the sub-command's word only, on top of the program's; one of the same name replaces it. */
  readonly flags: FlagTable;
};

export type FlagInput = {
  /** Without the program's name. */
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Sub-commands by the word that may stand among the flags, at most one of them: `hash-password`. */
  readonly commands: Readonly<Record<string, SubCommandSyntax>>;
};
/** A sub-command as it was called. `values` holds its own flags beside the program's, camel-cased. */
export type ParsedSubCommand = {
  readonly name: string;
  /** As many as its syntax has. */
  readonly words: readonly string[];
  readonly values: Readonly<Record<string, unknown>>;
};
export type ParsedFlags<T extends FlagTable> = {
  readonly values: FlagValues<T>;
  readonly command: ParsedSubCommand | undefined;
};
/** Why the program does not start. `usage` is one line; the program prints it on stderr and exits with 2. */
export type FlagExit =
  | { readonly kind: "help"; readonly command: string | undefined }
  | { readonly kind: "version" }
  | { readonly kind: "usage"; readonly message: string };

/** A text and where it was said, `-listen` or `REALMWATCH_LISTEN`. */
type RawValue = { readonly text: string; readonly source: string };

/** The largest file that is read as a secret, bytes. */
const maxSecretBytes = 65_536;

/** Reads flags and environment by the table. Precedence: flag, environment, fallback. */
export function parseFlags<T extends FlagTable>(table: T, input: FlagInput): Result<ParsedFlags<T>, FlagExit> {
  const args = readArgs(table, input);
  if (!args.ok) return args;
  const { said, command } = args.value;
  const read = readValues(args.value.table, said, input.env);
  if (!read.ok) return fail({ kind: "usage", message: read.error });
  const values = read.value as FlagValues<T>;
  return ok({ values, command: command && { ...command, values: read.value } });
}

function readValues(
  table: FlagTable,
  args: ReadonlyMap<string, RawValue>,
  env: FlagInput["env"],
): Result<Readonly<Record<string, unknown>>, string> {
  const values: Record<string, unknown> = {};
  for (const [name, flag] of Object.entries(table)) {
    const said = args.get(name) ?? fromEnvironment(name, flag, env);
    const file = args.get(`${name}-file`) ?? fromEnvironment(`${name}-file`, flag, env);
    const value =
      flag.kind === "secret"
        ? readSecret(flag, pickSecret(said, file), said, file)
        : said === undefined && flag.kind === "switch"
          ? ok(false)
          : readValue(flag, said ?? { text: flag.kind === "value" ? flag.fallback : "", source: `-${name}` });
    if (!value.ok) return value;
    values[camelCase(name)] = value.value;
  }
  return ok(values);
}

type Args = {
  readonly said: ReadonlyMap<string, RawValue>;
  /** The program's flags and those of the sub-command. */
  readonly table: FlagTable;
  readonly command: { readonly name: string; readonly words: readonly string[] } | undefined;
};

function readArgs(own: FlagTable, { args, commands }: FlagInput): Result<Args, FlagExit> {
  const said = new Map<string, RawValue>();
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
      if (syntax === undefined) return usage(`argument ${quote(arg)} is not understood`);
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
    said.set(name, { text, source: `-${name}` });
  }
  const missing = command?.syntax.words[command.words.length];
  if (missing !== undefined) return usage(`${command?.name} needs ${missing}`);
  return ok({ said, table, command: command && { name: command.name, words: command.words } });
}

function kindOf(table: FlagTable, name: string): "value" | "switch" | "secret" | undefined {
  if (Object.hasOwn(table, name)) return table[name]?.kind;
  const base = name.endsWith("-file") ? name.slice(0, -"-file".length) : "";
  return Object.hasOwn(table, base) && table[base]?.kind === "secret" ? "value" : undefined;
}

/** An empty variable counts as absent, but for a secret: an empty one is a mistake that would open a door. */
function fromEnvironment(name: string, flag: FlagTable[string], env: FlagInput["env"]): RawValue | undefined {
  const where = `REALMWATCH_${name.replaceAll("-", "_").toUpperCase()}`;
  const text = env[where];
  return text === undefined || (text === "" && flag.kind !== "secret") ? undefined : { text, source: where };
}

function readValue(flag: ValueFlag<unknown> | SwitchFlag, { text, source }: RawValue): Result<unknown, string> {
  const value = flag.kind === "switch" ? parseSwitch(text) : flag.parse(text);
  return value.ok ? value : fail(`${source}: ${quote(text)} ${value.error}`);
}

/** A flag outranks the environment, whichever of the two spellings it has. */
function pickSecret(said: RawValue | undefined, file: RawValue | undefined): "text" | "file" | "both" | "none" {
  if (said === undefined || file === undefined) return said ? "text" : file ? "file" : "none";
  const byFlag = (s: RawValue): boolean => s.source.startsWith("-");
  return byFlag(said) === byFlag(file) ? "both" : byFlag(said) ? "text" : "file";
}

function readSecret(
  flag: SecretFlag,
  which: ReturnType<typeof pickSecret>,
  said: RawValue | undefined,
  file: RawValue | undefined,
): Result<Secret | undefined, string> {
  if (which === "none") return ok(undefined);
  if (which === "both") return fail(`${said?.source} and ${file?.source} are both given: give one`);
  const source = which === "text" ? said : file;
  if (source === undefined) return ok(undefined);
  const text = which === "text" ? ok(source.text) : readSecretFile(source.text);
  if (!text.ok) return fail(`${source.source}: ${text.error}`);
  const refused = text.value === "" ? "is empty" : flag.refuse?.(text.value);
  return refused === undefined ? ok(hideSecret(text.value)) : fail(`${source.source}: the value ${refused}`);
}

/** One trailing line break is not part of the secret. */
function readSecretFile(path: string): Result<string, string> {
  try {
    const text = readFileSync(path);
    if (text.length > maxSecretBytes) return fail(`file ${quote(path)} is larger than ${maxSecretBytes} bytes`);
    return ok(text.toString("utf8").replace(/\r?\n$/, ""));
  } catch (error) {
    return fail(`file ${quote(path)} cannot be read: ${(error as NodeJS.ErrnoException).code ?? "unknown error"}`);
  }
}

function parseSwitch(text: string): Result<boolean, string> {
  if (["true", "1", "t"].includes(text.toLowerCase())) return ok(true);
  if (["false", "0", "f"].includes(text.toLowerCase())) return ok(false);
  return fail("is no boolean: write true or false");
}

const camelCase = (name: string): string => name.replace(/-(.)/g, (_, letter: string) => letter.toUpperCase());
const quote = (text: string): string => JSON.stringify(text.length > 200 ? `${text.slice(0, 200)}…` : text);
const usage = (message: string): { readonly ok: false; readonly error: FlagExit } => fail({ kind: "usage", message });
