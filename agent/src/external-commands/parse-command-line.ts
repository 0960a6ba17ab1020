import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { externalCommandParsers } from "./command-table.ts";
import type { ExternalCommand } from "./external-command.ts";
import { parseUnixSeconds } from "./line-arguments.ts";

type ParsedCommandLine = {
  readonly name: string;
  /** Time in brackets, Unix ms; a whole second. */
  readonly atMs: number;
  readonly command: ExternalCommand;
};
/** Rejected line with the reason. `name` is empty when the line names no command. */
type InvalidCommandLine = { readonly name: string; readonly why: string };

const shape = /^\[([^\]]*)\] ([A-Za-z0-9_]{1,128})(?:;(.*))?$/su;
/** Commands that would read files, change the configuration or stop the program. */
const refused = /^(PROCESS_FILE$|CHANGE_|SHUTDOWN_|RESTART_)/;

/** Parses one line of the command file, without its line break. */
export function parseCommandLine(line: string): Result<ParsedCommandLine, InvalidCommandLine> {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.includes("\0")) return invalid("", "has a NUL byte");
  const [, time = "", name = "", raw] = shape.exec(text) ?? [];
  if (name === "") return invalid("", "is not of the form [time] NAME;arguments");
  const atMs = parseUnixSeconds(time);
  if (!atMs.ok) return invalid(name, `the time in brackets ${atMs.error}`);
  const parse = externalCommandParsers.get(name);
  if (parse === undefined) return invalid(name, whyUnsupported(name));
  const command = parse(raw);
  return command.ok
    ? ok({ name, atMs: atMs.value, command: command.value })
    : invalid(name, `${name} ${command.error}`);
}

const invalid = (name: string, why: string): Result<never, InvalidCommandLine> => fail({ name, why });

function whyUnsupported(name: string): string {
  if (name.startsWith("_")) return `${name} is a custom command, which is not supported`;
  return refused.test(name) ? `${name} is refused over the command file` : `${name} is not a supported command`;
}
