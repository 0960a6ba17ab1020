import { type ShellWord, unknownPart } from "./shell-syntax.ts";

/** Interpreter that reads code from its arguments, and from its input when `readsInput` is set. */
type Interpreter = {
  readonly names: RegExp;
  /** Option after which the arguments contain code; `always` when they do without an option. */
  readonly code: RegExp | "always";
  /** Options whose value is the next argument. */
  readonly valued?: RegExp;
  /** True when the option may follow operands. */
  readonly anywhere?: boolean;
  readonly readsInput: boolean;
};

const interpreters: readonly Interpreter[] = [
  {
    names: /^(?:sh|bash|rbash|dash|ash|zsh|ksh(?:93)?|mksh|pdksh|oksh|yash|posh|fish|csh|tcsh)(?:-?[0-9.]+)?$/,
    code: /^(?:-[A-Za-z]*c|--command)/,
    valued: /^(?:[-+][oO]|--(?:rcfile|init-file))$/,
    readsInput: true,
  },
  { names: /^(?:eval|trap|let|source|\.)$/, code: "always", readsInput: false },
  { names: /^(?:ssh|slogin|rsh|remsh|autossh|mosh|dbclient|pdsh|pssh)$/, code: "always", readsInput: true },
  { names: /^(?:su|runuser|sg)$/, code: "always", readsInput: true },
  { names: /^(?:xargs|parallel)$/, code: "always", readsInput: true },
  { names: /^watch$/, code: "always", readsInput: false },
  { names: /^(?:at|batch|crontab)$/, code: /^(?!)/, readsInput: true },
  {
    names: /^sudo$/,
    code: /^(?:-[A-Za-z]*[is]|--(?:login|shell))$/,
    valued: /^(?:-[ughpCrtUDRT]|--(?:user|group|host|prompt|chdir))$/,
    readsInput: false,
  },
  {
    names: /^env$/,
    code: /^(?:-[A-Za-z0]*S|--split-string)/,
    valued: /^(?:-[uC]|--(?:unset|chdir))$/,
    readsInput: false,
  },
  { names: /^perl[0-9.]*$/, code: /^-(?![MmIx])[A-Za-z0-9]*[eE]/, valued: /^-[I]$/, readsInput: true },
  { names: /^(?:i?python|pypy|jython)[0-9.]*$/, code: /^-[A-Za-z]*c/, valued: /^-[WX]$/, readsInput: true },
  {
    names: /^(?:j?ruby)[0-9.]*$/,
    code: /^-(?![rICx])[A-Za-z0-9]*e/,
    valued: /^-[rICEF]$/,
    readsInput: true,
  },
  {
    names: /^(?:node|nodejs|bun|deno)[0-9.]*$/,
    code: /^(?:-[a-z]*[ep]|--(?:eval|print)(?:=|$)|eval$)/,
    valued: /^(?:-[rC]|--(?:require|import|loader|conditions|input-type))$/,
    readsInput: true,
  },
  {
    names: /^php(?:-cli|-cgi)?[0-9.]*$/,
    code: /^(?:-[rRBE]|--(?:run|process-(?:begin|code|end))(?:=|$))/,
    valued: /^-[dcz]$/,
    readsInput: true,
  },
  { names: /^(?:lua(?:jit)?[0-9.]*|osascript|Rscript|julia|elixir|groovy)$/, code: /^-[A-Za-z]*e/, readsInput: true },
  {
    names: /^(?:script|flock|expect|pwsh)$/,
    code: /^(?:-[A-Za-z]*c|--command|-Command)/,
    anywhere: true,
    readsInput: false,
  },
  // Their input and their queries have commands that run programs, such as `\!` and `.shell`.
  {
    names: /^(?:psql|mysql|mariadb|sqlite3?)$/,
    code: /^(?:-[A-Za-z]*[ce]|--(?:command|execute|cmd))(?:=|$)/,
    anywhere: true,
    readsInput: true,
  },
  { names: /^(?:[gmn]|original-)?awk$/, code: "always", readsInput: true },
  { names: /^[gs]?sed$/, code: "always", readsInput: true },
];

/** Programs that run the program that their arguments name. */
const wrappers: ReadonlySet<string> = new Set([
  ...["sudo", "doas", "env", "nice", "nohup", "timeout", "time", "exec", "command", "builtin", "busybox", "toybox"],
  ...[
    "setsid",
    "stdbuf",
    "ionice",
    "chrt",
    "taskset",
    "chroot",
    "flock",
    "nsenter",
    "unshare",
    "systemd-run",
    "pkexec",
  ],
  ...["find", "docker", "podman", "kubectl", "lxc-attach", "machinectl", "ip", "strace", "sshpass", "script"],
]);

/** Options by which an unknown program may be an interpreter. */
const anyCodeOption = /^(?:-[A-Za-z]{0,3}[ceErS]|--(?:command|eval|print|run|split-string)(?:=.*)?)$/;

/** Interpreter found in a command. `untrusted`: its arguments with untrusted values that it could read as code. */
type FoundInterpreter = {
  readonly name: string;
  readonly readsInput: boolean;
  readonly untrusted: readonly ShellWord[];
};

/** Interpreters that a command runs, also through `sudo`, `env` and the like. */
export function interpretersIn(words: readonly ShellWord[], isUntrusted: (word: ShellWord) => boolean) {
  const found: FoundInterpreter[] = [];
  const first = programName(words[0]);
  const wrapped = first !== undefined && wrappers.has(first);
  for (const [at, word] of words.entries()) {
    const name = programName(word);
    const args = words.slice(at + 1);
    if (name === undefined) {
      const option = at === 0 ? args.findIndex(({ text }) => anyCodeOption.test(text)) : -1;
      if (option >= 0)
        found.push({ name: "a program", readsInput: false, untrusted: args.slice(option).filter(isUntrusted) });
      continue;
    }
    const interpreter = interpreters.find(({ names }) => names.test(name));
    if (interpreter === undefined) continue;
    const { code, readsInput } = interpreter;
    // Without a wrapper before it, a later word is a program only if a code option follows, as in `x sh -c …`.
    if (at > 0 && !wrapped && (code === "always" || !args.some(({ text }) => code.test(text)))) continue;
    found.push({
      name: labelOf(name, interpreter, args),
      readsInput,
      untrusted: codeIn(interpreter, args, isUntrusted),
    });
  }
  return found;
}

/** Name of the program that a word gives, without its folder; undefined when it is not known. */
function programName(word: ShellWord | undefined): string | undefined {
  if (word === undefined) return "";
  const base = word.text.slice(word.text.lastIndexOf("/") + 1);
  return base.includes(unknownPart) ? undefined : base;
}

/** Name for messages: `sh -c`, `eval`. */
function labelOf(name: string, { code }: Interpreter, args: readonly ShellWord[]): string {
  const options = code === "always" ? [] : args.map(({ text }) => code.exec(text)?.[0] ?? "");
  return [name, ...options.filter(Boolean).slice(0, 1)].join(" ");
}

function codeIn(
  { code, valued, anywhere = false }: Interpreter,
  args: readonly ShellWord[],
  isUntrusted: (word: ShellWord) => boolean,
): readonly ShellWord[] {
  if (code === "always") return args.filter(isUntrusted);
  for (let i = 0; i < args.length; i += 1) {
    const word = args[i];
    if (word === undefined) break;
    if (code.test(word.text)) return args.filter(isUntrusted);
    if (isAssignment(word)) continue;
    // A value in the place of an option or of a script's name decides about the code too.
    if (isUntrusted(word)) return [word];
    if (valued?.test(word.text)) i += 1;
    else if (!anywhere && (!/^[-+]/.test(word.text) || word.text === "--")) break;
  }
  return [];
}

/** `NAME=value` before the program's name, as for `env`. */
const isAssignment = ({ text }: ShellWord): boolean => /^[A-Za-z_][A-Za-z0-9_]*=/.test(text);
