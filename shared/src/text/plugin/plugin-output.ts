import type { Outcome } from "../../model/outcome.ts";
import { parsePerfdata } from "./parse-perfdata.ts";

export type PluginOutput = Omit<Outcome, "status">;

/** Maximum length of the output that is parsed, characters. */
const maxLength = 65_536;
/** Maximum number of points of performance data of one result. */
const maxPoints = 1_000;
const truncationMark = "…(truncated)";

/**
 * Splits the output of a plugin into text and performance data. Performance data starts after the first `|` of the first
 * line, and after the first `|` of the long text, from where it continues to the end. A `|` without a later `=` on its
 * line is text; a `|` at the end of a line of the long text starts performance data if the next line contains `=`.
 * Takes time linear in `stdout`, of which at most 64 KiB are parsed.
 *
 * @param cut true when the caller dropped the end of the output
 */
export function parsePluginOutput(stdout: string, cut = false): PluginOutput {
  const truncated = cut || stdout.length > maxLength;
  const lines = stdout.slice(0, maxLength).toWellFormed().replaceAll("\0", "").trim().split(/\r?\n/);
  const [first, ...rest] = lines.map(splitAtPipe);
  const perfFrom = rest.findIndex((line) => line.perf !== undefined);
  const longLines = perfFrom < 0 ? rest : rest.slice(0, perfFrom + 1);
  const perfLines = perfFrom < 0 ? [] : lines.slice(perfFrom + 2);

  const longOutput = longLines
    .map((line) => line.text)
    .join("\n")
    .trim();
  const perf = [first?.perf, rest[perfFrom]?.perf, ...perfLines].filter((text) => text !== undefined).join(" ");
  const endsInPerf = perfFrom >= 0 || (rest.length === 0 && first?.perf !== undefined);
  const output = first?.text.trim() || "(No output returned from plugin)";
  return withPerfdata({ output, longOutput }, truncated && endsInPerf ? withoutLastItem(perf) : perf, truncated);
}

/**
 * [PO12] Adds the performance data of a result to its texts: at most 1 000 points, behind which the cut is marked.
 *
 * @param cut true when something else was cut already
 */
export function withPerfdata(
  { output, longOutput }: Pick<PluginOutput, "output" | "longOutput">,
  text: string,
  cut = false,
): PluginOutput {
  const points = parsePerfdata(text, maxPoints + 1);
  const perfdata = points.slice(0, maxPoints);
  if (!cut && points.length <= maxPoints) return { output, longOutput, perfdata };
  return longOutput === ""
    ? { output: output + truncationMark, longOutput, perfdata }
    : { output, longOutput: longOutput + truncationMark, perfdata };
}

type Split = { readonly text: string; readonly perf: string | undefined };

function splitAtPipe(line: string, index: number, lines: readonly string[]): Split {
  const at = line.indexOf("|");
  const begins = at >= 0 && (line.indexOf("=", at) >= 0 || (isBlank(line, at + 1) && isData(index + 1, lines)));
  return begins ? { text: line.slice(0, at), perf: line.slice(at + 1) } : { text: line, perf: undefined };
}

const isBlank = (line: string, from: number): boolean => line.slice(from).trim() === "";

/** True when the line after a final `|` may be data. The line after the first line is always text. */
const isData = (index: number, lines: readonly string[]): boolean =>
  index === 1 || lines[index]?.includes("=") === true;

/** Removes the last item, whose number may be truncated. */
const withoutLastItem = (perf: string): string => perf.slice(0, Math.max(0, perf.trimEnd().search(/\s\S*$/)));
