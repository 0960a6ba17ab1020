import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { externalCommandParsers } from "./command-table.ts";
import type { ExternalCommand } from "./external-command.ts";
import { parseUnixSeconds } from "./line-arguments.ts";

export type ParsedCommandLine = {
  readonly name: string;
  /** What the line says when it was written, Unix ms: a whole second. */
  readonly atMs: number;
  readonly command: ExternalCommand;
};
/** Why a line is not taken. `name` is empty where it names no command. */
export type InvalidCommandLine = { readonly name: string; readonly why: string };

const shape = /^\[([^\]]*)\] ([A-Za-z0-9_]{1,128})(?:;(.*))?$/su;
/** Commands that would have this program run or become something else. */
const refused = /^(PROCESS_FILE$|CHANGE_|SHUTDOWN_|RESTART_)/;

/** Reads one line of the command file, without its line break. */
export function parseCommandLine(line: string): Result<ParsedCommandLine, InvalidCommandLine> {
  const text = line.endsWith("\r") ? line.slice(0, -1) : line;
  if (text.includes("\0")) return bad("", "has a NUL byte");
  const [, time = "", name = "", raw] = shape.exec(text) ?? [];
  if (name === "") return bad("", "is not of the form [time] NAME;arguments");
  const atMs = parseUnixSeconds(time);
  if (!atMs.ok) return bad(name, `the time in brackets ${atMs.error}`);
  const read = externalCommandParsers.get(name);
  if (read === undefined) return bad(name, whyNot(name));
  const command = read(raw);
  return command.ok ? ok({ name, atMs: atMs.value, command: command.value }) : bad(name, `${name} ${command.error}`);
}

const bad = (name: string, why: string): Result<never, InvalidCommandLine> => fail({ name, why });

function whyNot(name: string): string {
  if (name.startsWith("_")) return `${name} is a custom command, and nobody here takes those`;
  return refused.test(name) ? `${name} is refused over the command file` : `${name} is no command that is taken here`;
}
