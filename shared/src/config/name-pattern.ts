import { fail, ok, type Result } from "../model/result.ts";

/** Text with labels in it: a string stands for itself, a label for its value. Empty for no pattern. */
export type NamePattern = readonly (string | { readonly label: string })[];

/**
 * Parses the name of a label, or a text with `{{label}}` in it. The error is the end of a sentence about the text
 * (`must …`).
 */
export function parseNamePattern(text: string): Result<NamePattern, string> {
  if (!/[{}]/.test(text)) return ok([{ label: text }]);
  const parts: (string | { label: string })[] = [];
  let end = 0;
  for (const match of text.matchAll(/\{\{([^{}]*)\}\}/g)) {
    const label = (match[1] ?? "").trim();
    if (label === "") return fail("must name a label between {{ and }}");
    if (match.index > end) parts.push(text.slice(end, match.index));
    parts.push({ label });
    end = match.index + match[0].length;
  }
  if (end < text.length) parts.push(text.slice(end));
  if (parts.some((part) => typeof part === "string" && /[{}]/.test(part)))
    return fail("must have each label between {{ and }}, and no other brace");
  return ok(parts);
}

/** Fills in the values of labels; undefined when a label is missing or empty. */
export function fillNamePattern(pattern: NamePattern, labels: ReadonlyMap<string, string>): string | undefined {
  let text = "";
  for (const part of pattern) {
    const piece = typeof part === "string" ? part : labels.get(part.label);
    if (piece === undefined || piece === "") return undefined;
    text += piece;
  }
  return text;
}
