import type { DocumentPath } from "../../../text/document-path.ts";
import type { SourceSpan } from "../source/source-spans.ts";

/** Paths whose spots a reader notes on its way: a node for every path wanted and for all above it. */
export type SpanRecorder = { readonly below: Map<string | number, SpanRecorder>; readonly spans: SourceSpan[] };

const newWatch = (): SpanRecorder => ({ below: new Map(), spans: [] });

export function createRecorder(paths: readonly DocumentPath[]): SpanRecorder {
  const root = newWatch();
  for (const path of paths) {
    let node = root;
    for (const part of path) {
      const next = node.below.get(part) ?? newWatch();
      node.below.set(part, next);
      node = next;
    }
  }
  return root;
}

/** What was noted of a path; nothing for one that was not wanted. */
export function recordedSpans(root: SpanRecorder, path: DocumentPath): readonly SourceSpan[] {
  let node: SpanRecorder | undefined = root;
  for (const part of path) node = node?.below.get(part);
  return node?.spans ?? [];
}
