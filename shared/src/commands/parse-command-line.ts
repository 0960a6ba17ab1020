import { fail, ok, type Result } from "../model/result.ts";
import type { CommandLine, EarlierLines, LineCommands } from "./command-line.ts";
import type { ResolutionContext } from "./command-realm.ts";
import { type Command, commandKinds } from "./commands.ts";
import { parseUnixSeconds } from "./line-arguments.ts";

type ParsedCommandLine = {
  readonly name: string;
  /** Time in brackets, Unix ms; a whole second. */
  readonly atMs: number;
  readonly after: EarlierLines | undefined;
  /** Resolves the names of the line in a realm. Fails with a sentence. */
  resolve(context: Omit<ResolutionContext, "nowMs">): Result<LineCommands<Command>, string>;
};
/** Rejected line with the reason. `name` is empty when the line names no command. */
type InvalidCommandLine = { readonly name: string; readonly why: string };

const shape = /^\[([^\]]*)\] ([A-Za-z0-9_]{1,128})(?:;(.*))?$/su;
/** Commands that would read files, change the configuration or stop the program. */
const refused = /^(PROCESS_FILE$|CHANGE_|SHUTDOWN_|RESTART_)/;

/** Every line of the command file by its name, with the kind of its commands. */
export const commandLines: ReadonlyMap<string, { readonly kind: string; readonly parse: CommandLine<object> }> =
  new Map(
    Object.values(commandKinds).flatMap(({ kind, lines = {} }) =>
      Object.entries(lines).map(([name, parse]) => [name, { kind, parse }] as const),
    ),
  );

/** Parses one line of the command file, without its line break. */
export function parseCommandLine(line: string): Result<ParsedCommandLine, InvalidCommandLine> {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.includes("\0")) return invalid("", "has a NUL byte");
  const [, time = "", name = "", raw] = shape.exec(text) ?? [];
  if (name === "") return invalid("", "is not of the form [time] NAME;arguments");
  const atMs = parseUnixSeconds(time);
  if (!atMs.ok) return invalid(name, `the time in brackets ${atMs.error}`);
  const known = commandLines.get(name);
  if (known === undefined) return invalid(name, whyUnsupported(name));
  const parsed = known.parse(raw);
  if (!parsed.ok) return invalid(name, `${name} ${parsed.error}`);
  const { after, resolve } = parsed.value;
  return ok({
    name,
    atMs: atMs.value,
    after,
    resolve({ realm, mintId }) {
      const resolved = resolve({ realm, mintId, nowMs: atMs.value });
      if (!resolved.ok) return resolved;
      const { commands, by } = resolved.value;
      return ok({ commands: commands.map((fields) => ({ kind: known.kind, ...fields }) as Command), by });
    },
  });
}

const invalid = (name: string, why: string): Result<never, InvalidCommandLine> => fail({ name, why });

function whyUnsupported(name: string): string {
  if (name.startsWith("_")) return `${name} is a custom command, which is not supported`;
  return refused.test(name) ? `${name} is refused over the command file` : `${name} is not a supported command`;
}
