import { fail, ok, type Result } from "../model/result.ts";
import type { CueEvaluator } from "../platform/cue/engine/evaluator.ts";
import { lineIndex } from "../platform/cue/source/source-position.ts";
import { evaluateSplit, type KeptValues, type SplitValue } from "../platform/cue/split/evaluate-split.ts";
import { splitSource } from "../platform/cue/split/split-source.ts";
import type { LocatedProblem } from "./worker-messages.ts";

/** Field whose entries may be evaluated apart from each other, and what an earlier evaluation has kept. */
export type PartsRequest = { readonly field: string; readonly kept: KeptValues | undefined };

/** Minimum number of entries for which a document is evaluated in parts. */
const minParts = 20;

/** Reason for which a document is evaluated as a whole: the expression that prevents a split, if there is one. */
type WholeReason = LocatedProblem | undefined;

/** CUE for the parts of a document. */
type PartsEngine = {
  /** Loads CUE, which may not be needed. */
  evaluator(): Promise<CueEvaluator>;
  /** Called before each evaluation with the fraction of its round that has been done, in [0, 1). */
  onEvaluate(fraction: number): void;
};

/** Evaluates a document in parts. Fails when it must be evaluated as a whole, as after every error. */
export async function evaluateInParts(
  text: string,
  { field, kept }: PartsRequest,
  { evaluator, onEvaluate }: PartsEngine,
): Promise<Result<SplitValue, WholeReason>> {
  const split = splitSource(text, field);
  if (!split.ok) {
    const { message, at } = split.error;
    return fail({ message: `this ${message}`, position: { file: 0, ...lineIndex(text)(at) } });
  }
  if (split.value.parts.length < minParts) return fail(undefined);
  const value = await evaluateSplit(split.value, field, {
    kept,
    async evaluateAll(documents) {
      const texts: string[] = [];
      for (const document of documents) {
        onEvaluate(texts.length / documents.length);
        const value = (await evaluator())(document);
        if (!value.ok) break;
        texts.push(value.value);
      }
      return texts;
    },
  });
  return value === undefined ? fail(undefined) : ok(value);
}
