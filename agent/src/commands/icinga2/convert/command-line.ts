import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { IcingaDictionary, IcingaUnknown, type IcingaValue, icingaText, isIcingaList } from "../dsl/values.ts";
import { attributeText, customVars, type IcingaObject } from "../icinga-object.ts";
import { type IcingaMacroObject, type IcingaMacroSource, type ResolvedIcingaText, resolveMacros } from "./macros.ts";

/** Word of a command line, with the macros of a document. `isFixed`: the same for every object. */
export type IcingaCommandWord = { readonly text: string; readonly isFixed: boolean };

/** Command line of a command for an object. `losses`: arguments that were left out, with the reason. */
export type IcingaCommandLine = {
  readonly words: readonly IcingaCommandWord[];
  /** The only word is a line for a shell. */
  readonly isShell: boolean;
  readonly losses: readonly string[];
};

/** Builds the command line of a command object as Icinga 2 would. Fails with a phrase. */
export function buildCommandLine(
  command: IcingaObject,
  objects: readonly IcingaMacroObject[],
): Result<IcingaCommandLine, string> {
  const source: IcingaMacroSource = { objects, command: customVars(command) };
  const line = command.attributes.get("command");
  if (line === null || line instanceof IcingaUnknown || line instanceof IcingaDictionary)
    return fail("it has no command line that a document can have");
  const env = environmentWords(command, source);
  if (!isIcingaList(line)) return shellLine(icingaText(line), source);
  const words: IcingaCommandWord[] = [];
  for (const part of line) {
    const resolved = resolveMacros(part, source);
    if (resolved.kind === "unknown") return fail(resolved.why);
    if (resolved.kind === "missing") return fail(`no object gives a value for $${resolved.macro}$`);
    const isFixed = isShared(part, resolved, source);
    for (const text of resolved.kind === "text" ? [resolved.text] : resolved.texts) words.push({ text, isFixed });
  }
  const builder = new ArgumentsBuilder(source);
  const refused = builder.addAll(command.attributes.get("arguments"));
  if (refused !== undefined) return fail(refused);
  return ok({ words: [...env, ...words, ...builder.words], isShell: false, losses: builder.losses });
}

/** Words that set environment variables by `env`: a command of a document has no field for them. */
function environmentWords(command: IcingaObject, source: IcingaMacroSource): readonly IcingaCommandWord[] {
  const env = command.attributes.get("env");
  if (!(env instanceof IcingaDictionary) || env.size === 0) return [];
  const words: IcingaCommandWord[] = [{ text: "/usr/bin/env", isFixed: true }];
  for (const [name, value] of env.entries()) {
    const resolved = resolveMacros(value, source);
    if (resolved.kind === "text") words.push({ text: `${name}=${resolved.text}`, isFixed: false });
  }
  return words;
}

function shellLine(text: string, source: IcingaMacroSource): Result<IcingaCommandLine, string> {
  const resolved = resolveMacros(text, source);
  if (resolved.kind === "unknown") return fail(resolved.why);
  if (resolved.kind === "missing") return fail(`no object gives a value for $${resolved.macro}$`);
  const line = resolved.kind === "text" ? resolved.text : resolved.texts.join(" ");
  return ok({ words: [{ text: line, isFixed: true }], isShell: true, losses: [] });
}

type ArgumentValues = {
  readonly texts: readonly string[];
  readonly isFixed: boolean;
  readonly skipsKey: boolean;
  readonly argument: IcingaValue;
};

class ArgumentsBuilder {
  readonly words: IcingaCommandWord[] = [];
  readonly losses: string[] = [];
  readonly #source: IcingaMacroSource;

  constructor(source: IcingaMacroSource) {
    this.#source = source;
  }

  /** Adds the arguments in their order; the result is the reason why the command cannot be executed. */
  addAll(all: IcingaValue): string | undefined {
    if (!(all instanceof IcingaDictionary)) return all instanceof IcingaUnknown ? all.why : undefined;
    const sorted = all
      .entries()
      .map(([key, argument]) => ({ key, argument, order: Number(field(argument, "order") ?? 0) }))
      .sort((a, b) => a.order - b.order || (a.key < b.key ? -1 : 1));
    for (const { key, argument } of sorted) {
      const refused = this.#add(key, argument);
      if (refused !== undefined) return refused;
    }
    return undefined;
  }

  #add(key: string, argument: IcingaValue): string | undefined {
    if (argument instanceof IcingaUnknown) return void this.#lose(key, argument.why);
    const isSet = this.#isSet(field(argument, "set_if"));
    if (isSet instanceof IcingaUnknown) return void this.#lose(key, isSet.why);
    if (!isSet) return undefined;
    const name = icingaText(field(argument, "key")) || key;
    const skipsKey = field(argument, "skip_key") === true;
    const value = argument instanceof IcingaDictionary ? argument.get("value") : argument;
    if (value === null) {
      if (!skipsKey) this.words.push({ text: name, isFixed: true });
      return undefined;
    }
    const resolved = resolveMacros(value, this.#source);
    if (resolved.kind === "missing")
      return field(argument, "required") === true ? `no object gives a value for $${resolved.macro}$` : undefined;
    if (resolved.kind === "unknown") return void this.#lose(key, resolved.why);
    const texts = resolved.kind === "text" ? [resolved.text] : resolved.texts;
    const isFixed = isShared(value, resolved, this.#source);
    this.#addValues(name, { texts, isFixed, skipsKey, argument });
    return undefined;
  }

  #addValues(name: string, { texts, isFixed, skipsKey, argument }: ArgumentValues): void {
    const separator = field(argument, "separator");
    const repeats = field(argument, "repeat_key") !== false;
    for (const [at, text] of texts.entries()) {
      if (separator !== null && !skipsKey) {
        this.words.push({ text: name + icingaText(separator) + text, isFixed });
        continue;
      }
      if (!skipsKey && (at === 0 || repeats)) this.words.push({ text: name, isFixed: true });
      this.words.push({ text, isFixed });
    }
  }

  #isSet(condition: IcingaValue): boolean | IcingaUnknown {
    if (condition === null) return true;
    const resolved = resolveMacros(condition, this.#source);
    if (resolved.kind === "missing") return false;
    if (resolved.kind === "unknown") return new IcingaUnknown(resolved.why);
    const text = resolved.kind === "text" ? resolved.text : String(resolved.texts.length);
    return text === "true" || (text !== "" && text !== "false" && Number(text) !== 0 && !Number.isNaN(Number(text)));
  }

  #lose(key: string, why: string): void {
    this.losses.push(`the argument ${key} is left out: ${why}`);
  }
}

/** True when a value is the same for every object: its macros have the values of the command itself. */
const isShared = (value: IcingaValue, resolved: ResolvedIcingaText, { command }: IcingaMacroSource): boolean =>
  JSON.stringify(resolveMacros(value, { objects: [], command })) === JSON.stringify(resolved);

const field = (argument: IcingaValue, name: string): IcingaValue =>
  argument instanceof IcingaDictionary ? argument.get(name) : null;

/** Time limit of a command, s. */
export const commandTimeout = (command: IcingaObject): number => {
  const seconds = Number(attributeText(command, "timeout") ?? 60);
  return Number.isFinite(seconds) && seconds > 0 ? seconds : 60;
};
