import type { CueEvaluator } from "../platform/cue/engine/evaluator.ts";
import { evaluateSplit, type KeptValues, type SplitValue } from "../platform/cue/split/evaluate-split.ts";
import { splitSource } from "../platform/cue/split/split-source.ts";

/** Field whose entries may be evaluated apart from each other, and what an earlier evaluation has kept. */
export type PartsRequest = { readonly field: string; readonly kept: KeptValues | undefined };

/** Minimum number of entries for which a document is evaluated in parts. */
const minParts = 20;

/**
 * Evaluates a document in parts; undefined when it must be evaluated as a whole, as after every error.
 *
 * @param evaluator loads CUE, which may not be needed
 */
export async function evaluateInParts(
  text: string,
  { field, kept }: PartsRequest,
  evaluator: () => Promise<CueEvaluator>,
): Promise<SplitValue | undefined> {
  const split = splitSource(text, field);
  if (!split.ok || split.value.parts.length < minParts) return undefined;
  return evaluateSplit(split.value, field, {
    kept,
    async evaluateAll(documents) {
      const texts: string[] = [];
      for (const document of documents) {
        const value = (await evaluator())(document);
        if (!value.ok) break;
        texts.push(value.value);
      }
      return texts;
    },
  });
}
