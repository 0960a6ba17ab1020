import type { DocumentPath } from "../../../text/document-path.ts";
import type { SourceSpan } from "../source/source-spans.ts";

/** Tree of the paths whose spans a parser records: a node for each requested path and for each of its prefixes. */
export type SpanRecorder = { readonly below: Map<string | number, SpanRecorder>; readonly spans: SourceSpan[] };

const newRecorder = (): SpanRecorder => ({ below: new Map(), spans: [] });

export function createRecorder(paths: readonly DocumentPath[]): SpanRecorder {
  const root = newRecorder();
  for (const path of paths) {
    let node = root;
    for (const part of path) {
      const next = node.below.get(part) ?? newRecorder();
      node.below.set(part, next);
      node = next;
    }
  }
  return root;
}

/** Spans recorded for a path; empty for a path that was not requested. */
export function recordedSpans(root: SpanRecorder, path: DocumentPath): readonly SourceSpan[] {
  let node: SpanRecorder | undefined = root;
  for (const part of path) node = node?.below.get(part);
  return node?.spans ?? [];
}
