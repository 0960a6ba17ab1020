import { structuredPatch } from "diff";

type DocumentLine = {
  readonly kind: "same" | "added" | "removed";
  readonly text: string;
  /** Line numbers from 1; undefined in the document that lacks the line. */
  readonly before: number | undefined;
  readonly after: number | undefined;
};
/** Changed lines with the lines around them. */
type DiffHunk = { readonly lines: readonly DocumentLine[] };
type LineDiff = { readonly hunks: readonly DiffHunk[]; readonly added: number; readonly removed: number };

/** Number of unchanged lines around a change. */
const contextLines = 3;
/** Time after which the comparison of very different documents is given up, ms. */
const timeoutMs = 2_000;

/** Differences of two documents by line; undefined when they differ so much that it would take too long. */
export function lineDiff(before: string, after: string): LineDiff | undefined {
  const patch = structuredPatch("", "", before, after, "", "", { context: contextLines, timeout: timeoutMs });
  if (patch === undefined) return undefined;
  let [added, removed] = [0, 0];
  const hunks = patch.hunks.map(({ oldStart, newStart, lines }): DiffHunk => {
    let [old, next] = [oldStart, newStart];
    return {
      lines: lines.flatMap((line): DocumentLine[] => {
        const text = line.slice(1);
        if (line.startsWith("+")) {
          added += 1;
          return [{ kind: "added", text, before: undefined, after: next++ }];
        }
        if (line.startsWith("-")) {
          removed += 1;
          return [{ kind: "removed", text, before: old++, after: undefined }];
        }
        // `\ No newline at end of file` is no line of the document.
        return line.startsWith(" ") ? [{ kind: "same", text, before: old++, after: next++ }] : [];
      }),
    };
  });
  return { hunks, added, removed };
}
