import type { Screen } from "./table.ts";

/** Result of a command in every output format. */
export type CliOutput = {
  /** Value for `-output json`: the JSON of the API's response if there is one. */
  readonly json: unknown;
  /** Text for `-output table`; may be empty. */
  readonly text: (screen: Screen) => string;
  /** Lines for `-quiet`, as input of another command. */
  readonly ids: readonly string[];
  /** Failures of some of several objects; any makes the exit code 1. */
  readonly failures?: readonly string[];
};

export type OutputFormat = "table" | "json";

/** Formats the output for stdout, with a final line break. */
export function formatOutput(output: CliOutput, how: { format: OutputFormat; quiet: boolean; screen: Screen }): string {
  if (how.quiet) return output.ids.map((id) => `${id}\n`).join("");
  const text = how.format === "json" ? JSON.stringify(output.json, undefined, 2) : output.text(how.screen);
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}
