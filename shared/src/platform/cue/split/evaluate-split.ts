import { hash } from "node:crypto";
import type { Json, JsonStruct } from "../static/json.ts";
import { mergeParts, takeParts } from "./merge-parts.ts";
import { findShapes, type PartShape, symbolOf, symbols } from "./part-shapes.ts";
import type { SourcePart, SplitSource } from "./split-source.ts";

/** Evaluates documents to JSON texts; undefined in the place of a document that CUE rejects. */
export type EvaluateAll = (documents: readonly string[]) => Promise<readonly (string | undefined)[]>;

/** Values of a document's shapes, for the next evaluation of a document whose parts share the same text. */
export type KeptShapes = {
  /** Hash of the text that all parts share. */
  readonly shared: string;
  /** Value of that text alone. */
  readonly rest: JsonStruct;
  /** JSON of the values by the hash of the shape's source. */
  readonly values: ReadonlyMap<string, string>;
};

/** Value of a document, and what the next evaluation can use of it. */
export type SplitValue = { readonly value: JsonStruct; readonly kept: KeptShapes };

/** Length of the sources of the parts in one document, UTF-16 units. Larger documents take more memory, not less time. */
const chunkLength = 24_000;

/** Number of groups into which shapes are divided when CUE rejects one of them. */
const maxGroups = 16;

/**
 * Evaluates a document in parts: one part for all of the same shape, and the others in groups. Values of shapes that an
 * earlier evaluation has kept are not evaluated again.
 *
 * @returns undefined when the document must be evaluated as a whole
 */
export async function evaluateSplit(
  split: SplitSource,
  field: string,
  { evaluateAll, kept }: { readonly evaluateAll: EvaluateAll; readonly kept?: KeptShapes | undefined },
): Promise<SplitValue | undefined> {
  const values = new PartValues(split, field, kept);
  const { shapes, others } = findShapes(split, (source) => values.isKnown(digest(source)));
  const failed = await evaluateShapes(split, shapes, { values, evaluateAll });
  const chunks = chunksOf([...others, ...failed], partLength);
  const texts = await evaluateAll(chunks.map((chunk) => sourceOf(split, chunk)));
  for (const [i, chunk] of chunks.entries()) {
    const taken = values.take(new Set(chunk.map(({ label }) => label)), texts[i]);
    if (taken === undefined) return undefined;
    for (const part of chunk) values.set(part, taken.get(part.label) as Json);
  }
  return values.finish();
}

const digest = (text: string): string => hash("sha256", text, "base64url");

/** Hash of the text that all parts of a document share. */
export const sharedHash = (split: SplitSource, field: string): string =>
  digest(JSON.stringify([field, split.shared.map(({ text }) => text)]));

/** Values of the parts evaluated so far, and of what all share. */
class PartValues {
  readonly #parts = new Map<string, Json>();
  /** JSON of the values of shapes. */
  readonly #shapes: Map<string, string>;
  readonly #shared: string;
  readonly #split: SplitSource;
  readonly #field: string;
  #rest: JsonStruct | undefined;

  constructor(split: SplitSource, field: string, kept: KeptShapes | undefined) {
    this.#split = split;
    this.#field = field;
    this.#shared = sharedHash(split, field);
    const known = kept?.shared === this.#shared ? kept : undefined;
    this.#rest = known?.rest;
    this.#shapes = new Map(known?.values);
  }

  isKnown(key: string): boolean {
    return this.#shapes.has(key);
  }

  /** JSON of the value of a shape; undefined when it is not known. */
  recall(key: string): string | undefined {
    return this.#shapes.get(key);
  }

  keep(key: string, json: string): void {
    this.#shapes.set(key, json);
  }

  set({ label }: SourcePart, value: Json): void {
    this.#parts.set(label, value);
  }

  /** Takes entries out of the text of a value; undefined when it does not have exactly these and the shared ones. */
  take(labels: ReadonlySet<string>, text: string | undefined): ReadonlyMap<string, Json> | undefined {
    if (text === undefined) return undefined;
    const taken = takeParts({ labels, json: JSON.parse(text) }, this.#field, this.#split.sharedLabels);
    this.#rest ??= taken?.rest;
    return taken?.parts;
  }

  finish(): SplitValue | undefined {
    const rest = this.#rest;
    const value = rest && mergeParts(this.#split, this.#field, { parts: this.#parts, rest });
    if (rest === undefined || value === undefined) return undefined;
    return { value, kept: { shared: this.#shared, rest, values: this.#shapes } };
  }
}

/** Groups items in order, each group of about `chunkLength`. */
function chunksOf<T>(items: readonly T[], lengthOf: (item: T) => number, maxLength = chunkLength): readonly T[][] {
  const chunks: T[][] = [];
  let length = Number.POSITIVE_INFINITY;
  for (const item of items) {
    if (length >= maxLength) {
      chunks.push([]);
      length = 0;
    }
    chunks.at(-1)?.push(item);
    length += lengthOf(item);
  }
  return chunks;
}

const partLength = ({ pieces }: SourcePart): number => pieces.reduce((length, { text }) => length + text.length, 0);
const shapeLength = (shape: PartShape): number => shape.sourceOf("").length;

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
  const keys = new Map(shapes.map((shape) => [shape, digest(shape.source)]));
  const unknown = shapes.filter((shape) => {
    const json = values.recall(keys.get(shape) as string);
    if (json !== undefined) fillIn(json, shape, values);
    return json === undefined;
  });
  const failed: SourcePart[] = [];
  const evaluate = async (group: readonly PartShape[], mayDivide: boolean): Promise<void> => {
    const labelled = group.map((shape, i) => ({ shape, label: symbolOf(`label${i}`) }));
    const sources = new Map(labelled.map(({ shape, label }) => [firstLabel(shape), shape.sourceOf(label)]));
    const [text] = await evaluateAll([split.textOf((_, label) => sources.get(label))]);
    const taken = values.take(new Set(labelled.map(({ label }) => label)), text);
    if (taken === undefined) {
      if (mayDivide && group.length > 1)
        for (const some of chunksOf(group, () => 1, Math.ceil(group.length / maxGroups))) await evaluate(some, false);
      else failed.push(...group.flatMap(({ members }) => members.map(({ part }) => part)));
      return;
    }
    for (const { shape, label } of labelled) {
      // The label of the evaluation is not that of another one.
      const json = JSON.stringify(taken.get(label)).replaceAll(label, symbolOf("label"));
      values.keep(keys.get(shape) as string, json);
      fillIn(json, shape, values);
    }
  };
  for (const group of chunksOf(unknown, shapeLength)) await evaluate(group, true);
  return failed;
}

const firstLabel = ({ members }: PartShape): string => members[0]?.part.label ?? "";

/** Puts the label and the texts of each member into the JSON of the value of their shape. */
function fillIn(json: string, { members }: PartShape, values: PartValues): void {
  const pieces = json.split(symbols);
  for (const { part, texts } of members) {
    const filled = pieces.map((piece, i) =>
      i % 2 === 0 ? piece : JSON.stringify(texts[Number(piece)] ?? part.label).slice(1, -1),
    );
    values.set(part, JSON.parse(filled.join("")));
  }
}
