import type { DocumentPath } from "../../../text/document-path.ts";
import { isStruct } from "../../../text/json-values.ts";
import type { CueCommand } from "../engine/command.ts";
import type { CueSources } from "../source/cue-sources.ts";
import { isSamePosition, type SourcePosition } from "../source/source-position.ts";
import { type CueProbe, runProbes, structContradiction } from "./probe.ts";

/** Target of a search: the value at `path`, or, with `struct`, the struct there. */
export type LocateTarget = { readonly path: DocumentPath; readonly at: "value" | "struct" };

/**
 * Finds the source positions of values of an evaluated document. A value written out under its own path is found in the
 * source; a value from a template, definition, reference or comprehension is found by probes.
 *
 * @param document the evaluated document; undefined when it could not be evaluated
 * @returns a position for each target; when CUE reports none, that of the nearest enclosing struct, at worst 1:1
 */
export async function locateValues(
  cue: () => Promise<CueCommand>,
  sources: CueSources,
  { document, targets }: { readonly document: unknown; readonly targets: readonly LocateTarget[] },
): Promise<readonly SourcePosition[]> {
  const positions = targets.map((each) => literalPosition(sources, each, valueAtPath(document, each.path)));
  const seek = async (open: readonly number[], contradict: (value: unknown) => string): Promise<void> => {
    if (open.length === 0) return;
    const paths = open.map((i) => targets[i]?.path ?? []);
    const probes = paths.map((path): CueProbe => ({ path, contradiction: contradict(valueAtPath(document, path)) }));
    const found = await runProbes(await cue(), sources, probes);
    for (const [k, i] of open.entries())
      positions[i] = bestPosition(sources, paths[k] ?? [], found[k] ?? [], targets[i]?.at) ?? positions[i];
  };
  const all = targets.map((_, i) => i);
  await seek(
    all.filter((i) => positions[i] === undefined),
    contradictKind,
  );
  // A template may constrain only the type of a value: a probe of another type then finds the template. A probe of the
  // same type conflicts with the value alone.
  const isVague = (i: number): boolean => {
    const position = positions[i];
    return (
      isScalar(valueAtPath(document, targets[i]?.path ?? [])) &&
      position !== undefined &&
      !isLiteralAt(sources, position)
    );
  };
  await seek(all.filter(isVague), contradictValue);
  return targets.map(({ path }, i) => positions[i] ?? nearestPosition(sources, path));
}

const isScalar = (value: unknown): boolean => typeof value !== "object" && value !== undefined;
const contradictKind = (value: unknown): string => (isStruct(value) ? "0" : structContradiction);

function contradictValue(value: unknown): string {
  if (typeof value === "string") return JSON.stringify(`${value} `);
  return typeof value === "number" ? String(value + 1) : String(value !== true);
}

function literalPosition(sources: CueSources, { path, at }: LocateTarget, value: unknown): SourcePosition | undefined {
  if (path.length === 0) return { file: 0, line: 1, column: 1 };
  const spans = sources.spansAt(path);
  const fitting =
    at === "struct" || isStruct(value)
      ? spans.find(({ span }) => span.kind === "struct")
      : spans.findLast(({ span }) => span.kind === "literal");
  // A list literal is positioned at its bracket; only a computed list has its source elsewhere.
  const list = Array.isArray(value)
    ? spans.find((located) => sources.textAt(located.position).startsWith("["))
    : undefined;
  return (fitting ?? list)?.position;
}

/**
 * Chooses among the positions that CUE reports for a path: the last one under the path itself that is more than a reference,
 * else the last literal, else the last. Later positions are more specific, because CUE names templates and definitions before their uses. A
 * struct counts as a literal at its brace, but not at the name of a definition.
 */
export function bestPosition(
  sources: CueSources,
  path: DocumentPath,
  positions: readonly SourcePosition[],
  at: LocateTarget["at"] = "value",
): SourcePosition | undefined {
  const own = sources.spansAt(path).filter(({ span }) => at === "value" || span.kind === "struct");
  const isOwn = (position: SourcePosition): boolean => own.some((each) => isSamePosition(each.position, position));
  const isLiteral = (position: SourcePosition): boolean =>
    at === "struct" ? sources.textAt(position).startsWith("{") : isLiteralAt(sources, position);
  const isWritten = (position: SourcePosition): boolean => isOwn(position) && !isReferenceAt(sources, position);
  return (
    positions.findLast(isWritten) ?? positions.findLast(isLiteral) ?? positions.findLast(isOwn) ?? positions.at(-1)
  );
}

/** True for a mere name, whose value is written elsewhere. An installed CUE names its place besides the value's. */
const isReferenceAt = (sources: CueSources, position: SourcePosition): boolean =>
  /^(?!(?:true|false|null)\b)[\p{L}_#$][\p{L}\p{N}_#$.]*\s*(?:[,}\]]|$)/u.test(sources.textAt(position));

const isLiteralAt = (sources: CueSources, position: SourcePosition): boolean =>
  /^(?:#*["']|[-+]?\d|true\b|false\b|null\b)/.test(sources.textAt(position));

/** Position of the value or of the nearest enclosing value that is written out; 1:1 when there is none. */
export function nearestPosition(sources: CueSources, path: DocumentPath): SourcePosition {
  for (let length = path.length; length > 0; length -= 1) {
    const located = sources.spansAt(path.slice(0, length))[0];
    if (located !== undefined) return located.position;
  }
  return { file: 0, line: 1, column: 1 };
}

/** Value at a path of JSON data; undefined when the path does not exist. */
export function valueAtPath(document: unknown, path: DocumentPath): unknown {
  let value = document;
  for (const part of path) {
    if (typeof value !== "object" || value === null || !Object.hasOwn(value, part)) return undefined;
    value = (value as Record<string | number, unknown>)[part];
  }
  return value;
}
