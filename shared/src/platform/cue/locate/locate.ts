import type { DocumentPath } from "../../../text/document-path.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources, LocatedSpan } from "../source/cue-sources.ts";
import type { SourcePosition } from "../source/source-position.ts";
import { type CueProbe, runProbes, structContradiction } from "./probe.ts";

/** What to find: the value at `path`, or, with `struct`, the struct there. */
export type LocateTarget = { readonly path: DocumentPath; readonly at: "value" | "struct" };

/**
 * Finds where the values of an evaluated document were written. What stands literally under its own path is read off
 * the source; the rest, made by templates, definitions, references and comprehensions, is probed for.
 *
 * @param document the evaluated document; undefined where there is none
 * @returns a place for every wanted one; where CUE names none, that of the nearest struct around it, at worst 1:1
 */
export async function locateValues(
  cue: () => Promise<CueCommand>,
  sheet: CueSources,
  { document, wanted }: { readonly document: unknown; readonly wanted: readonly LocateTarget[] },
): Promise<readonly SourcePosition[]> {
  const places = wanted.map((each) => literalPosition(sheet, each, valueAtPath(document, each.path)));
  const seek = async (open: readonly number[], contradict: (value: unknown) => string): Promise<void> => {
    if (open.length === 0) return;
    const paths = open.map((i) => wanted[i]?.path ?? []);
    const probes = paths.map((path): CueProbe => ({ path, contradiction: contradict(valueAtPath(document, path)) }));
    const found = await runProbes(await cue(), sheet, probes);
    for (const [k, i] of open.entries())
      places[i] = bestPosition(sheet, paths[k] ?? [], found[k] ?? [], wanted[i]?.at) ?? places[i];
  };
  const all = wanted.map((_, i) => i);
  await seek(
    all.filter((i) => places[i] === undefined),
    contradictKind,
  );
  // Where a template only says which kind of value it wants, that is what contradicts; another value of this kind
  // contradicts the value alone.
  const isVague = (i: number): boolean => {
    const place = places[i];
    return isScalar(valueAtPath(document, wanted[i]?.path ?? [])) && place !== undefined && !isLiteralAt(sheet, place);
  };
  await seek(all.filter(isVague), contradictValue);
  return wanted.map(({ path }, i) => places[i] ?? nearestPosition(sheet, path));
}

const isScalar = (value: unknown): boolean => typeof value !== "object" && value !== undefined;
const contradictKind = (value: unknown): string =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? "0" : structContradiction;

function contradictValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(`${value} `);
  return typeof value === "number" ? String(value + 1) : String(value !== true);
}

function literalPosition(sheet: CueSources, { path, at }: LocateTarget, value: unknown): SourcePosition | undefined {
  if (path.length === 0) return { file: 0, line: 1, column: 1 };
  const spots = sheet.spansAt(path);
  const isStruct = typeof value === "object" && value !== null && !Array.isArray(value);
  const fitting =
    at === "struct" || isStruct
      ? spots.find(({ span }) => span.kind === "struct")
      : spots.findLast(({ span }) => span.kind === "literal");
  // A list written out stands where it stands; only what is computed has its source elsewhere.
  const list = Array.isArray(value) ? spots.find((spot) => sheet.textAt(spot).startsWith("[")) : undefined;
  return toPosition(fitting ?? list);
}

const toPosition = (spot: LocatedSpan | undefined): SourcePosition | undefined =>
  spot === undefined ? undefined : { file: spot.file, line: spot.line, column: spot.column };

/**
 * Among the places CUE names for a path: the last that stands under the path itself, else the last literal, else the
 * last. A later one is the more special: templates and definitions come before what uses them. A struct is a literal
 * where its brace is; the name of a definition is none.
 */
export function bestPosition(
  sheet: CueSources,
  path: DocumentPath,
  places: readonly SourcePosition[],
  at: LocateTarget["at"] = "value",
): SourcePosition | undefined {
  const own = sheet.spansAt(path).filter(({ span }) => at === "value" || span.kind === "struct");
  const isOwn = (place: SourcePosition): boolean =>
    own.some((spot) => spot.file === place.file && spot.line === place.line && spot.column === place.column);
  const isLiteral = (place: SourcePosition): boolean =>
    at === "struct" ? sheet.textAt(place).startsWith("{") : isLiteralAt(sheet, place);
  return places.findLast(isOwn) ?? places.findLast(isLiteral) ?? places.at(-1);
}

const isLiteralAt = (sheet: CueSources, place: SourcePosition): boolean =>
  /^(?:#*["']|[-+]?\d|true\b|false\b|null\b)/.test(sheet.textAt(place));

/** The place of the value or of the nearest thing around it that is written out. */
export function nearestPosition(sheet: CueSources, path: DocumentPath): SourcePosition {
  for (let length = path.length; length > 0; length -= 1) {
    const spot = sheet.spansAt(path.slice(0, length))[0];
    if (spot !== undefined) return { file: spot.file, line: spot.line, column: spot.column };
  }
  return { file: 0, line: 1, column: 1 };
}

/** The value at a path of plain data; undefined where there is none. */
export function valueAtPath(document: unknown, path: DocumentPath): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
