import type { Screen } from "./table.ts";

/** What a command found out or did, in each way that it can be printed. */
export type CommandOutput = {
  /** `-output json`: the API's own JSON wherever the API has one. */
  readonly json: unknown;
  /** For people; empty where there is nothing to say. */
  readonly text: (screen: Screen) => string;
  /** `-quiet`: a line each, for the next command of a pipe. */
  readonly ids: readonly string[];
  /** What went wrong for some of several; they make the exit code 1. */
  readonly failures?: readonly string[];
};

export type OutputFormat = "table" | "json";

/** The answer as it goes to stdout, with its last line break. */
export function formatOutput(
  answer: CommandOutput,
  how: { format: OutputFormat; quiet: boolean; screen: Screen },
): string {
  if (how.quiet) return answer.ids.map((id) => `${id}\n`).join("");
  const text = how.format === "json" ? JSON.stringify(answer.json, undefined, 2) : answer.text(how.screen);
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
