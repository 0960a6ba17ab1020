import type { Json, JsonStruct } from "../static/json.ts";
import { mergeParts, takeParts } from "./merge-parts.ts";
import { findShapes, type PartShape, symbolOf, symbols } from "./part-shapes.ts";
import type { SourcePart, SplitSource } from "./split-source.ts";

/** Evaluates documents to JSON texts; undefined in the place of a document that CUE rejects. */
type EvaluateAll = (documents: readonly string[]) => Promise<readonly (string | undefined)[]>;

/** Length of the sources of the parts in one document, UTF-16 units. Larger documents take more memory, not less time. */
const chunkLength = 24_000;

/**
 * Evaluates a document in parts: one part for all of the same shape, and the others in groups.
 *
 * @returns the value of the whole document; undefined when it must be evaluated as a whole
 */
export async function evaluateSplit(
  split: SplitSource,
  field: string,
  evaluateAll: EvaluateAll,
): Promise<JsonStruct | undefined> {
  const { shapes, others } = findShapes(split);
  const values = new PartValues(field, split.sharedLabels);
  const failed = await evaluateShapes(split, shapes, { values, evaluateAll });
  const chunks = chunksOf([...others, ...failed]);
  const texts = await evaluateAll(chunks.map((chunk) => sourceOf(split, chunk)));
  for (const [i, chunk] of chunks.entries())
    if (!values.add(new Set(chunk.map(({ label }) => label)), texts[i])) return undefined;
  return values.merge(split);
}

/** Values of the parts evaluated so far, and of what all share. */
class PartValues {
  readonly parts = new Map<string, Json>();
  #rest: JsonStruct | undefined;
  readonly #field: string;
  readonly #sharedLabels: ReadonlySet<string>;

  constructor(field: string, sharedLabels: ReadonlySet<string>) {
    this.#field = field;
    this.#sharedLabels = sharedLabels;
  }

  /** Adds the entries of a document with the parts of `labels`. Returns false when it does not have these entries. */
  add(labels: ReadonlySet<string>, text: string | undefined): boolean {
    const taken = this.take(labels, text);
    for (const [label, value] of taken ?? []) this.parts.set(label, value);
    return taken !== undefined;
  }

  take(labels: ReadonlySet<string>, text: string | undefined): ReadonlyMap<string, Json> | undefined {
    if (text === undefined) return undefined;
    const taken = takeParts({ labels, json: JSON.parse(text) }, this.#field, this.#sharedLabels);
    this.#rest ??= taken?.rest;
    return taken?.parts;
  }

  merge(split: SplitSource): JsonStruct | undefined {
    return this.#rest && mergeParts(split, this.#field, { parts: this.parts, rest: this.#rest });
  }
}

function chunksOf(parts: readonly SourcePart[]): readonly (readonly SourcePart[])[] {
  const chunks: SourcePart[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const part of parts) {
    if (length >= chunkLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(part);
    for (const { text } of part.pieces) length += text.length;
  }
  return chunks;
}

function sourceOf(split: SplitSource, chunk: readonly SourcePart[]): string {
  const labels = new Set(chunk.map(({ label }) => label));
  return split.textOf((piece, label) => (labels.has(label) ? piece.text : undefined));
}

type Evaluation = { readonly values: PartValues; readonly evaluateAll: EvaluateAll };

/** Evaluates one part for each shape. Returns the parts of the shapes that CUE rejects with symbols. */
async function evaluateShapes(
  split: SplitSource,
  shapes: readonly PartShape[],
  { values, evaluateAll }: Evaluation,
): Promise<readonly SourcePart[]> {
  const labelled = shapes.map((shape, i) => ({ shape, label: symbolOf(`label${i}`) }));
  const evaluate = async (some: typeof labelled): Promise<ReadonlyMap<string, Json> | undefined> => {
    const sources = new Map(some.map(({ shape, label }) => [firstLabel(shape), shape.sourceOf(label)]));
    const [text] = await evaluateAll([split.textOf((_, label) => sources.get(label))]);
    return values.take(new Set(some.map(({ label }) => label)), text);
  };
  const all = labelled.length === 0 ? undefined : await evaluate(labelled);
  const failed: SourcePart[] = [];
  for (const each of labelled) {
    const value = (all ?? (labelled.length > 1 ? await evaluate([each]) : undefined))?.get(each.label);
    if (value === undefined) failed.push(...each.shape.members.map(({ part }) => part));
    else fillIn(JSON.stringify(value), each.shape, values.parts);
  }
  return failed;
}

const firstLabel = ({ members }: PartShape): string => members[0]?.part.label ?? "";

/** Puts the label and the texts of each member into the value of their shape. */
function fillIn(value: string, { members }: PartShape, parts: Map<string, Json>): void {
  const pieces = value.split(symbols);
  for (const { part, texts } of members) {
    const filled = pieces.map((piece, i) =>
      i % 2 === 0 ? piece : JSON.stringify(texts[Number(piece)] ?? part.label).slice(1, -1),
    );
    parts.set(part.label, JSON.parse(filled.join("")));
  }
}
