import type { Token } from "../source/tokens.ts";

/** Range of tokens: from an index up to another one. */
export type TokenRange = { readonly from: number; readonly to: number };

/**
 * Calls `found` with every word that may refer to a field: all words but labels, and the words of texts with
 * interpolations. Finds too many rather than too few.
 */
export function forEachReference(
  tokens: readonly Token[],
  { from, to }: TokenRange,
  found: (name: string, token: Token) => void,
): void {
  for (let i = from; i < to; i += 1) {
    const token = tokens[i] as Token;
    if (token.kind === "word") {
      if (!isLabel(tokens, i)) found(token.text, token);
    } else if (token.kind === "string" && interpolation.test(token.text))
      for (const [name] of token.text.matchAll(words)) found(name, token);
  }
}

const interpolation = /\\#*\(/;
const words = /[\p{L}_$#][\p{L}\p{N}_$#]*/gu;

/** True for a word that begins a declaration, before a colon. A word between two colons is a label too: `a: b: 1`. */
function isLabel(tokens: readonly Token[], i: number): boolean {
  const before = tokens[i - 1];
  if (before !== undefined && before.kind !== "newline" && !beforeLabels.has(before.text)) return false;
  const next = tokens[i + 1];
  const isMarked = next?.kind === "mark" && (next.text === "?" || next.text === "!");
  const colon = isMarked ? tokens[i + 2] : next;
  return colon?.kind === "mark" && colon.text === ":";
}

const beforeLabels: ReadonlySet<string> = new Set(["{", ",", ":"]);
