import type { DocumentPath } from "../../../text/document-path.ts";
import type { SourceSpan } from "../source/source-spans.ts";

/** Field of a struct as it is written: its label and value, with offsets in UTF-16 units. */
export type WrittenField = { readonly label: string; readonly start: number; readonly end: number };

/** Tree of the paths whose spans a parser records: a node for each requested path and for each of its prefixes. */
export type SpanRecorder = {
  readonly below: Map<string | number, SpanRecorder>;
  readonly spans: SourceSpan[];
  /** Receives the fields of the struct there that are written in braces; undefined when they are not recorded. */
  readonly fields?: WrittenField[];
};

const newRecorder = (): SpanRecorder => ({ below: new Map(), spans: [] });

export function createRecorder(paths: readonly DocumentPath[]): SpanRecorder {
  const root = newRecorder();
  for (const path of paths) {
    let node = root;
    for (const part of path) node = node.below.getOrInsertComputed(part, newRecorder);
  }
  return root;
}

/** Spans recorded for a path; empty for a path that was not requested. */
export function recordedSpans(root: SpanRecorder, path: DocumentPath): readonly SourceSpan[] {
  let node: SpanRecorder | undefined = root;
  for (const part of path) node = node?.below.get(part);
  return node?.spans ?? [];
}
