import { fail, ok, type Result } from "../../../model/result.ts";
import { macroNames } from "../macro.ts";
import type { CommandTemplate } from "../prepare-command.ts";
import { splitWords } from "../shell-words.ts";
import { programProblem, systemProgram } from "./allowed-programs.ts";
import {
  type CommandWord,
  constantText,
  type LineProblem,
  leadingText,
  type Pipeline,
  plainWord,
  readPipeline,
} from "./command-line.ts";
import { hasUntrustedMacro, type LineContext, type UntrustedUse, unitsOf } from "./command-text.ts";

/** Macro with a text from outside the configuration, in a line that may do more with it than treat it as text. */
export type MisusedMacro = UntrustedUse & LineProblem;

/**
 * Finds the first place where a command line may run a text from outside the configuration as code, or read it as an
 * option. A line with such a macro may be only what is known to be harmless: programs of one's own and a few of the
 * system, in a shell in one pipeline. Expects a line that can be split into words.
 */
export function findMisusedMacro({ line, shell }: CommandTemplate, context: LineContext): MisusedMacro | undefined {
  if (![line, ...(context.args ?? [])].some(hasUntrustedMacro)) return undefined;
  const units = unitsOf(line, context);
  const first = units.map((unit) => (unit.kind === "value" ? unit.use : undefined)).find((use) => use !== undefined);
  // An argument that the line does not use is passed in the environment only.
  if (first === undefined) return undefined;
  const pipeline = shell ? readPipeline(units) : ok([wordsOf(line, context)]);
  return pipeline.ok ? problemIn(pipeline.value, first, shell) : { ...first, ...pipeline.error };
}

/** Words of a line without a shell, where the text of an argument stays within its word. */
function wordsOf(line: string, context: LineContext): readonly CommandWord[] {
  const words = splitWords(line);
  return words.ok ? words.value.map((word) => plainWord(unitsOf(word, context))) : [];
}

function problemIn(pipeline: Pipeline, first: UntrustedUse, shell: boolean): MisusedMacro | undefined {
  for (const words of pipeline) {
    const problem = commandProblem(words, shell);
    if (problem === undefined) continue;
    const own = words.flat().find((part) => part.kind === "untrusted");
    return { ...(own?.use ?? first), ...problem };
  }
  return undefined;
}

function commandProblem(words: readonly CommandWord[], shell: boolean): LineProblem | undefined {
  const [assigned, command] = shell ? splitAssignments(words) : [[], words];
  const harmful = assigned.find((word) => !isHarmless(word));
  if (harmful !== undefined) return variableProblem(harmful);
  const started = withoutWrappers(command);
  if (!started.ok) return started.error;
  const [program, ...args] = started.value.command;
  const path = constantText(program);
  if (path === undefined || !/^[\w@%+:,./[-]+$/.test(path))
    return {
      place: program?.some(({ kind }) => kind === "untrusted")
        ? "as the name of the program"
        : "in a line that does not name its program",
      allowed: "name the program by a constant",
    };
  const name = systemProgram(path);
  const refused = started.value.variables.find((word) => !(name === undefined ? isForOwnProgram : isHarmless)(word));
  if (refused !== undefined) return variableProblem(refused);
  return name === undefined ? undefined : programProblem(name, args);
}

/** Splits `NAME=value` before the name of a program off. */
function splitAssignments(
  words: readonly CommandWord[],
): readonly [variables: readonly CommandWord[], command: readonly CommandWord[]] {
  const end = words.findIndex((word) => !/^[A-Za-z_]\w*\+?=/.test(leadingText(word)));
  return end < 0 ? [words, []] : [words.slice(0, end), words.slice(end)];
}

const variableName = (word: CommandWord): string => /^\w*/.exec(leadingText(word))?.[0] ?? "";

/** True for a constant that changes only how texts are shown. */
const isHarmless = (word: CommandWord): boolean =>
  constantText(word) !== undefined && /^(?:LC_[A-Z]+|LANG|TZ)$/.test(variableName(word));

/** Variables that choose code: for the loader, for an interpreter or for the programs that a program starts. */
const choosesCode =
  /^(?:PATH|ENV|IFS|PS4|HOME|(?:LD|BASH|SHELL|PERL|PYTHON|RUBY|GEM|NODE|JAVA|PHP|LUA|GCONV|GLIBC)\w*)$/;
/** Variables by which Icinga 2 passes texts to scripts, beside those with the names of macros. */
const scriptVariables = ["NOTIFICATIONAUTHORNAME", "HOSTDISPLAYNAME", "SERVICEDISPLAYNAME", "USEREMAIL", "USERPAGER"];
const passesText: ReadonlySet<string> = new Set([...macroNames, ...scriptVariables]);

/** True for a variable that a program of one's own may be passed by `env`. */
function isForOwnProgram(word: CommandWord): boolean {
  const name = variableName(word);
  const isUntrusted = word.some(({ kind }) => kind === "untrusted");
  return isUntrusted ? passesText.has(name) : !choosesCode.test(name);
}

const variableProblem = (word: CommandWord): LineProblem => ({
  place: `in a line that sets ${variableName(word)}`,
  allowed: "such a line may set LC_*, LANG and TZ, to constants",
});

/** Options of a program that runs the program that its arguments name. */
type Wrapper = {
  readonly flag: RegExp;
  /** Options whose values are the next words. */
  readonly valued: RegExp;
  /** Number of words between the options and the program's name. */
  readonly operands: number;
};

const never = /^(?!)/;
const wrappers: Readonly<Record<string, Wrapper>> = {
  timeout: {
    flag: /^(?:-[fpv]+|-[sk].+|--(?:foreground|preserve-status|verbose|signal=.+|kill-after=.+))$/,
    valued: /^(?:-[sk]|--signal|--kill-after)$/,
    operands: 1,
  },
  nice: { flag: /^(?:-n?-?[0-9]+|--adjustment=-?[0-9]+)$/, valued: /^(?:-n|--adjustment)$/, operands: 0 },
  nohup: { flag: never, valued: never, operands: 0 },
  setsid: { flag: /^(?:-[cfw]+|--(?:ctty|fork|wait))$/, valued: never, operands: 0 },
  env: { flag: never, valued: never, operands: 0 },
};

type StartedProgram = {
  /** Assignments of `env`. */
  readonly variables: readonly CommandWord[];
  /** Name and arguments of the program. */
  readonly command: readonly CommandWord[];
};

/** Takes `timeout` and the like before the name of a program. Their words must be constants. */
function withoutWrappers(words: readonly CommandWord[]): Result<StartedProgram, LineProblem> {
  const name = systemProgram(constantText(words[0]) ?? "/") ?? "";
  const wrapper = Object.hasOwn(wrappers, name) ? wrappers[name] : undefined;
  if (wrapper === undefined) return ok({ variables: [], command: words });
  let at = 1;
  for (let text = constantText(words[at]); text !== undefined; text = constantText(words[at])) {
    if (wrapper.valued.test(text)) at += 2;
    else if (wrapper.flag.test(text)) at += 1;
    else break;
  }
  at += wrapper.operands;
  if (words.slice(0, at).some((word) => constantText(word) === undefined))
    return fail({ place: `in a line with an unknown option of ${name}`, allowed: "write the option as a constant" });
  const [variables, command] = name === "env" ? splitAssignments(words.slice(at)) : [[], words.slice(at)];
  const started = withoutWrappers(command);
  return started.ok ? ok({ ...started.value, variables: [...variables, ...started.value.variables] }) : started;
}
