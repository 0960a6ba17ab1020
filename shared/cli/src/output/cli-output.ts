import { escapeToOneLine } from "@realmwatch/shared/text/unprintable";
import type { Screen } from "./table.ts";

/** Values of `-output`. */
export const outputFormats = ["table", "wide", "json", "ndjson"] as const;
export type OutputFormat = (typeof outputFormats)[number];

/** Result of a command in every output format. */
export type CliOutput = {
  /** Value for `-output json`: the JSON of the API's response if there is one. */
  readonly json: unknown;
  /** Field of `json` whose entries `-output ndjson` prints, one per line; by default `json` is the list or the one entry. */
  readonly list?: string;
  /** Text for `-output table` and `wide`; may be empty. */
  readonly text: (screen: Screen) => string;
  /** Lines for `-quiet`, as input of another command. */
  readonly ids: readonly string[];
  /** Failures of some of several objects; any makes the exit code 1. */
  readonly failures?: readonly string[];
  /** Exit code of a monitoring plugin, which is not a failure; 0 by default. */
  readonly pluginCode?: PluginCode;
};

/** Exit codes of a monitoring plugin: OK, WARNING, CRITICAL, UNKNOWN. */
export type PluginCode = 0 | 1 | 2 | 3;

type OutputOptions = { readonly format: OutputFormat; readonly quiet: boolean; readonly screen: Omit<Screen, "wide"> };

/** Formats the output for stdout, with a final line break. */
export function formatOutput(output: CliOutput, { format, quiet, screen }: OutputOptions): string {
  if (quiet) return output.ids.map((id) => `${escapeToOneLine(id)}\n`).join("");
  if (format === "ndjson")
    return entriesOf(output)
      .map((entry) => `${JSON.stringify(entry)}\n`)
      .join("");
  const text =
    format === "json"
      ? JSON.stringify(output.json, undefined, 2)
      : output.text({ ...screen, wide: format === "wide", ...(format === "wide" ? { columns: undefined } : {}) });
  return text === "" || text.endsWith("\n") ? text : `${text}\n`;
}

/** Entries of the output's list. A list that is absent from JSON is empty. */
function entriesOf({ json, list }: CliOutput): readonly unknown[] {
  const value = list === undefined ? json : ((json as Readonly<Record<string, unknown>>)[list] ?? []);
  return Array.isArray(value) ? value : [value];
}
