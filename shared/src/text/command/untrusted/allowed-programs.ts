import { type CommandWord, constantText, type LineProblem, leadingText } from "./command-line.ts";

type Position = { readonly args: readonly CommandWord[]; readonly at: number };

/** Arguments in which a program of the system may be passed a text from outside the configuration. */
type ProgramRule = {
  /** Arguments by which the program takes commands, code or options from its input. */
  readonly readsCommands?: RegExp;
  /** True when the program takes commands from its input unless it has an operand. */
  readonly needsOperand?: boolean;
  /** True where such a text may be the beginning of an argument. Default: after `--`. */
  readonly mayBegin?: (position: Position) => boolean;
  /** True where such a text may follow other text in an argument. Default: in all but options. */
  readonly mayFollow?: (position: Position) => boolean;
};

/** Constant text of the word at some distance before an argument. */
const before = ({ args, at }: Position, distance = 1): string => constantText(args[at - distance]) ?? "";

const isAfterDashes = ({ args, at }: Position): boolean =>
  args.slice(0, at).some((word) => constantText(word) === "--");

const isOption = ({ args, at }: Position): boolean => leadingText(args[at] ?? []).startsWith("-");

const mail: ProgramRule = {
  // With tilde escapes, or with a mailbox to read, lines of the input are commands, some of which run programs.
  readsCommands: /^(?:-[EinvBdeFHNtR]*[~#fuI]|--(?:file|user|read|interactive))/,
  needsOperand: true,
  mayBegin: (position) => before(position) === "-s",
  // A recipient may be a file, or a program behind "|".
  mayFollow: (position) => /^-[sa]$/.test(before(position)),
};

/** Options of curl whose values are data: that of others may name a file to read or to write. */
const curlData =
  /^(?:-[dHAe]|--(?:data(?:-raw|-binary|-ascii|-urlencode)?|json|form-string|header|user-agent|referer))$/;

/** Programs of the system that treat what they are passed as text. */
const rules: Readonly<Record<string, ProgramRule>> = {
  printf: {
    mayBegin: ({ args, at }) => at > (constantText(args[0]) === "--" ? 1 : 0),
    mayFollow: () => true,
  },
  echo: { mayBegin: () => true },
  mail,
  mailx: mail,
  sendmail: { readsCommands: /^-b[^m]/, mayBegin: () => false, mayFollow: (position) => before(position) === "-F" },
  logger: {},
  curl: {
    readsCommands: /^(?:-[sSfLkvigjnNaGIlOqRZ#0-9]*K|--config)/,
    mayBegin: () => false,
    mayFollow: (position) =>
      curlData.test(before(position)) || /^https?:\/\/./.test(leadingText(position.args[position.at] ?? [])),
  },
  jq: {
    readsCommands: /^(?:-[a-zA-Z]*f|--from-file)/,
    mayBegin: (position) => before(position, 2) === "--arg",
    // The filter is code.
    mayFollow: (position) => /^--arg(?:json)?$/.test(before(position, 2)),
  },
  cut: {},
  tr: {},
  head: {},
  fold: {},
};

const allowedPrograms = Object.keys(rules).join(", ");

/** Name of a program of the system, named without an absolute path or below `/bin` and the like; undefined for others. */
export function systemProgram(path: string): string | undefined {
  if (!path.startsWith("/")) return path;
  const parts: string[] = [];
  for (const part of path.split("/")) {
    if (part === "..") parts.pop();
    else if (part !== "" && part !== ".") parts.push(part);
  }
  return /^(?:usr\/)?s?bin\/(.+)$/.exec(parts.join("/"))?.[1];
}

/** Problem of a program of the system in a line with texts from outside; undefined when it treats them as text. */
export function programProblem(name: string, args: readonly CommandWord[]): LineProblem | undefined {
  // Without arguments it only copies its input.
  if (name === "cat" && args.length === 0) return undefined;
  const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
  if (rule === undefined)
    return {
      place: `in a line that runs ${name === "cat" ? "cat with arguments" : name}`,
      allowed: `of the system's programs such a line may run ${allowedPrograms} and cat without arguments`,
    };
  return inputProblem(name, args, rule) ?? argumentProblem(name, args, rule);
}

function inputProblem(
  name: string,
  args: readonly CommandWord[],
  { readsCommands, needsOperand = false }: ProgramRule,
): LineProblem | undefined {
  const option = args.map(leadingText).find((text) => readsCommands?.test(text) === true);
  const allowed = `there ${name} would take commands from its input`;
  if (option !== undefined) return { place: `in a line that runs ${name} ${option}`, allowed };
  const isOperand = (at: number): boolean => {
    const position = { args, at };
    return !isOption(position) && !/^-[a-zA-Z]$/.test(before(position));
  };
  if (needsOperand && ![...args.keys()].some(isOperand))
    return { place: `in a line that runs ${name} without a recipient`, allowed };
  return undefined;
}

function argumentProblem(
  name: string,
  args: readonly CommandWord[],
  { mayBegin = isAfterDashes, mayFollow = (position) => isAfterDashes(position) || !isOption(position) }: ProgramRule,
): LineProblem | undefined {
  for (const [at, word] of args.entries()) {
    const position = { args, at };
    if (!word.some(({ kind }) => kind === "untrusted") || mayBegin(position)) continue;
    // "@" and "<" before the name of a file stand for its content.
    if (/^[-@<]*$/.test(leadingText(word)))
      return { place: `at the beginning of an argument of ${name}`, allowed: "begin it with a text of your own" };
    if (!mayFollow(position))
      return { place: `in an argument that ${name} does not treat as text`, allowed: "pass it where it is only text" };
  }
  return undefined;
}
