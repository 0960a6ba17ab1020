import type { Result } from "../model/result.ts";

/** CUE for the parts of a document. */
export type PartsEngine = {
  /** Evaluates one document to JSON text. CUE starts at the first one. */
  evaluate(source: string): Promise<Result<string, string>>;
  /** Called before each evaluation with the fraction of its round that has been done, in [0, 1). */
  onEvaluate(fraction: number): void;
};

/** Creates a function that evaluates documents one after the other up to the first one that CUE rejects. */
export const evaluateAllWith =
  ({ evaluate, onEvaluate }: PartsEngine) =>
  async (documents: readonly string[]): Promise<readonly string[]> => {
    const texts: string[] = [];
    for (const document of documents) {
      onEvaluate(texts.length / documents.length);
      const value = await evaluate(document);
      if (!value.ok) break;
      texts.push(value.value);
    }
    return texts;
  };
