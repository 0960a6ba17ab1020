import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueSources } from "../source/cue-sources.ts";
import type { CueFile } from "../source/source-position.ts";
import { tokensOf } from "../source/tokens.ts";
import type { CueProblem } from "./explain.ts";
import { probeLine } from "./probe.ts";

/** Stretches of a file that are taken out. */
type Cut = { readonly file: number; readonly from: number; readonly to: number };

/**
 * Takes out of a document what CUE complained about, so that it evaluates and the rest of its problems can be told in
 * the same go. Faulty values become `_`, which fits everything, in exactly the room they had: every other place stays
 * where it is. Values that were never filled in are filled in by a further file.
 *
 * @returns the mended files, or undefined where nothing can be done: a syntax error, an unknown import
 */
export function repairSources(sheet: CueSources, problems: readonly CueProblem[]): readonly CueFile[] | undefined {
  const cuts: Cut[] = [];
  const fillings: string[] = [];
  for (const problem of problems) {
    const standIn = /: incomplete value (.*)$/.exec(problem.message)?.[1];
    const cut = standIn === undefined ? cutFor(sheet, problem) : undefined;
    if (cut !== undefined) cuts.push(cut);
    else if (standIn !== undefined && problem.path !== undefined) fillings.push(filling(problem.path, standIn));
    else return undefined;
  }
  const files = sheet.files.map(({ name, text }, file) => ({
    name,
    text: cuts.filter((cut) => cut.file === file).reduce(blank, text),
  }));
  return fillings.length === 0 ? files : [...files, { name: "", text: fillings.join("\n") }];
}

/** `_` and blanks; line breaks stay. */
const blank = (text: string, { from, to }: Cut): string =>
  `${text.slice(0, from)}_${text.slice(from + 1, to).replace(/[^\n]/g, " ")}${text.slice(to)}`;

function filling(path: DocumentPath, incomplete: string): string {
  const first = incomplete.split(/ [|&] /)[0] ?? "";
  const known: Readonly<Record<string, string>> = { string: '""', int: "1", number: "1", float: "1.5", bool: "true" };
  return probeLine(path, known[first] ?? (/^["\d]/.test(first) ? first : "null"));
}

function cutFor(sheet: CueSources, { path, position, message }: CueProblem): Cut | undefined {
  const own = path === undefined ? [] : sheet.spansAt(path);
  const spot = own.find(
    (each) => each.file === position.file && each.line === position.line && each.column === position.column,
  )?.span;
  if (spot !== undefined)
    return { file: position.file, from: message.endsWith(" not allowed") ? spot.labelStart : spot.start, to: spot.end };
  return path === undefined ? undefined : wordCut(sheet, position);
}

/** The literal or reference at a place, `a.b.c` as a whole. */
function wordCut(sheet: CueSources, place: CueProblem["position"]): Cut | undefined {
  const rest = sheet.textAt(place);
  const [first, ...others] = tokensOf(rest);
  if (first === undefined || (first.kind !== "word" && first.kind !== "string" && first.kind !== "number"))
    return undefined;
  let last = first;
  for (let i = 0; others[i]?.text === "." && others[i + 1]?.kind === "word"; i += 2) last = others[i + 1] ?? last;
  const from = sheet.offsetOf(place);
  return { file: place.file, from, to: from + last.at + last.text.length };
}
