import { fail, ok, type Result } from "../model/result.ts";
import { lineIndex } from "../platform/cue/source/source-position.ts";
import { type EvaluateAll, evaluateSplit, type SplitValue } from "../platform/cue/split/evaluate-split.ts";
import { splitSource } from "../platform/cue/split/split-source.ts";
import type { EvaluatedEntries } from "./evaluate-changes.ts";
import type { LocatedProblem } from "./worker-messages.ts";

/** Minimum number of entries for which a document is evaluated in parts. */
const minParts = 20;

/** Value of a document, and what the next evaluation needs to leave out entries that have not changed. */
type ValueInParts = Pick<SplitValue, "value"> & { readonly evaluated: EvaluatedEntries | undefined };

/** Reason for which a document is evaluated as a whole: the expression that prevents a split, if there is one. */
type WholeReason = LocatedProblem | undefined;

/** Evaluates a document in parts. Fails when it must be evaluated as a whole, as after every error. */
export async function evaluateInParts(
  text: string,
  field: string,
  evaluateAll: EvaluateAll,
): Promise<Result<ValueInParts, WholeReason>> {
  const split = splitSource(text, field);
  if (!split.ok) {
    const { message, at } = split.error;
    return fail({ message: `this ${message}`, position: { file: 0, ...lineIndex(text)(at) } });
  }
  if (split.value.parts.length < minParts) return fail(undefined);
  const value = await evaluateSplit(split.value, field, { evaluateAll });
  if (value === undefined) return fail(undefined);
  const { entries, names } = split.value;
  return ok({ value: value.value, evaluated: entries && { entries, inParts: { shapes: value.kept, names } } });
}
