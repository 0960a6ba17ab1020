import { type CutText, cutUnchanged, type RestoredEntries } from "../platform/cue/changes/cut-unchanged.ts";
import type { WrittenEntries } from "../platform/cue/changes/written-entries.ts";
import { type EvaluateAll, evaluateSplit, type KeptShapes, sharedHash } from "../platform/cue/split/evaluate-split.ts";
import { type SplitSource, splitSource } from "../platform/cue/split/split-source.ts";
import { type Json, type JsonStruct, ownField } from "../platform/cue/static/json.ts";
import { parseStaticEntries } from "../platform/cue/static/parse-static-entries.ts";
import { isStruct } from "../text/json-values.ts";

/** Document after its evaluation, as far as the next one needs it to leave out entries that have not changed. */
export type EvaluatedEntries = {
  readonly entries: WrittenEntries;
  /** Undefined for a document of static data. */
  readonly inParts: { readonly shapes: KeptShapes; readonly names: ReadonlySet<string> } | undefined;
};

/** Value of a changed document. */
export type ChangedValue = {
  /** Value without the entries that have not changed. */
  readonly value: JsonStruct;
  /** Labels of all entries in the order of the value of the whole document. */
  readonly order: readonly string[];
  readonly unchanged: ReadonlySet<string>;
  readonly evaluated: EvaluatedEntries;
};

/**
 * Evaluates the entries of a document that are not in an earlier one as well. Unchanged entries have the same value as
 * there.
 *
 * @returns undefined when the document must be evaluated as a whole, as after every error
 */
export async function evaluateChanges(
  text: string,
  field: string,
  { before, evaluateAll }: { readonly before: EvaluatedEntries; readonly evaluateAll: EvaluateAll },
): Promise<ChangedValue | undefined> {
  const cut = cutUnchanged(before.entries, text);
  if (cut === undefined) return undefined;
  const { inParts } = before;
  const changed =
    inParts === undefined ? parseChanges(cut, field) : await splitChanges(cut, field, { inParts, evaluateAll });
  if (changed === undefined) return undefined;
  const own = ownField(changed.value, field);
  // Another entry of the same name would have been unified with the unchanged one.
  const isRepeated = own === undefined || !isStruct(own) || new Set(changed.order).size < changed.order.length;
  return isRepeated ? undefined : changed;
}

function parseChanges(cut: CutText, field: string): ChangedValue | undefined {
  const parsed = parseStaticEntries(cut.text, field);
  const restored = parsed?.entries && cut.restore(parsed.entries);
  if (parsed === undefined || restored === undefined || !isStruct(parsed.json)) return undefined;
  const { entries, unchanged } = restored;
  return { value: parsed.json, order: entries.labels, unchanged, evaluated: { entries, inParts: undefined } };
}

type SplitBefore = {
  readonly inParts: NonNullable<EvaluatedEntries["inParts"]>;
  readonly evaluateAll: EvaluateAll;
};

async function splitChanges(
  cut: CutText,
  field: string,
  { inParts, evaluateAll }: SplitBefore,
): Promise<ChangedValue | undefined> {
  const split = splitSource(cut.text, field, inParts.names);
  if (!split.ok || sharedHash(split.value, field) !== inParts.shapes.shared) return undefined;
  const restored = split.value.entries && cut.restore(split.value.entries);
  if (restored === undefined || refersToUnchanged(split.value, restored)) return undefined;
  const { entries, unchanged, leftOutAfter } = restored;
  const evaluated = await evaluateSplit(withoutUnchanged(split.value, unchanged), field, {
    kept: inParts.shapes,
    evaluateAll,
  });
  if (evaluated === undefined) return undefined;
  return {
    value: evaluated.value,
    order: split.value.orderWith(leftOutAfter),
    unchanged,
    evaluated: { entries, inParts: { shapes: evaluated.kept, names: split.value.names } },
  };
}

/** True when an expression may refer to an entry that has a value of its own: it would have to be in the shared text. */
const refersToUnchanged = ({ names }: SplitSource, { unchanged }: RestoredEntries): boolean =>
  [...names].some((name) => unchanged.has(name));

const withoutUnchanged = (split: SplitSource, unchanged: ReadonlySet<string>): SplitSource => ({
  ...split,
  parts: split.parts.filter(({ label }) => !unchanged.has(label)),
  order: split.order.filter((label) => !unchanged.has(label)),
});

/** Value of a document with what stands for its unchanged entries. */
export function withUnchanged(
  { value, order, unchanged }: ChangedValue,
  field: string,
  entryOf: (label: string) => unknown,
): Readonly<Record<string, unknown>> {
  const own = ownField(value, field) as JsonStruct;
  const entries = Object.fromEntries(order.map((label) => [label, unchanged.has(label) ? entryOf(label) : own[label]]));
  return { ...value, [field]: entries as Json };
}
