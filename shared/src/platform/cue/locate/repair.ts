import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueSources } from "../source/cue-sources.ts";
import { type CueFile, isSamePosition } from "../source/source-position.ts";
import { tokensOf } from "../source/tokens.ts";
import type { CueProblem } from "./explain.ts";
import { probeLine } from "./probe.ts";

/** Stretch of a file that is removed. */
type Cut = { readonly file: number; readonly from: number; readonly to: number };

/**
 * Removes the causes of CUE's errors from a document, so that it evaluates and its remaining problems can be reported in
 * the same pass. A faulty value becomes `_`, which unifies with everything, padded to the same length, so that all other
 * positions stay the same. Incomplete values are set in an additional file.
 *
 * @returns the repaired files; undefined when no repair is possible, as for a syntax error or an unknown import
 */
export function repairSources(sources: CueSources, problems: readonly CueProblem[]): readonly CueFile[] | undefined {
  const cuts: Cut[] = [];
  const fillLines: string[] = [];
  for (const problem of problems) {
    if (problem.path !== undefined && problem.message.endsWith("field is required but not present")) {
      fillLines.push(probeLine(problem.path, "_"));
      continue;
    }
    const incomplete = /: incomplete value (.*)$/.exec(problem.message)?.[1];
    const cut = incomplete === undefined ? cutFor(sources, problem) : undefined;
    if (cut !== undefined) cuts.push(cut);
    else if (incomplete !== undefined && problem.path !== undefined) fillLines.push(fillLine(problem.path, incomplete));
    else return undefined;
  }
  const files = sources.files.map(({ name, text }, file) => ({
    name,
    text: cuts.filter((cut) => cut.file === file).reduce(applyCut, text),
  }));
  return fillLines.length === 0 ? files : [...files, { name: "", text: fillLines.join("\n") }];
}

/** Replaces a stretch by `_` and blanks, keeping line breaks. */
const applyCut = (text: string, { from, to }: Cut): string =>
  `${text.slice(0, from)}_${text.slice(from + 1, to).replace(/[^\n]/g, " ")}${text.slice(to)}`;

function fillLine(path: DocumentPath, incomplete: string): string {
  const first = incomplete.split(/ [|&] /)[0] ?? "";
  const known: Readonly<Record<string, string>> = { string: '""', int: "1", number: "1", float: "1.5", bool: "true" };
  return probeLine(path, known[first] ?? (/^["\d]/.test(first) ? first : "null"));
}

function cutFor(sources: CueSources, { path, position, message }: CueProblem): Cut | undefined {
  const own = path === undefined ? [] : sources.spansAt(path);
  const span = own.find((each) => isSamePosition(each.position, position))?.span;
  if (span !== undefined)
    return { file: position.file, from: message.endsWith(" not allowed") ? span.labelStart : span.start, to: span.end };
  return path === undefined ? undefined : wordCut(sources, position);
}

/** Cut of the literal or of the whole reference (`a.b.c`) at a position. */
function wordCut(sources: CueSources, position: CueProblem["position"]): Cut | undefined {
  const rest = sources.textAt(position);
  const [first, ...others] = tokensOf(rest);
  if (first === undefined || (first.kind !== "word" && first.kind !== "string" && first.kind !== "number"))
    return undefined;
  let last = first;
  for (let i = 0; others[i]?.text === "." && others[i + 1]?.kind === "word"; i += 2) last = others[i + 1] ?? last;
  const from = sources.offsetOf(position);
  return { file: position.file, from, to: from + last.at + last.text.length };
}
