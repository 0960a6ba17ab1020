import { fail, ok, type Result } from "../../../model/result.ts";
import { type DocumentPath, pathKey } from "../../../text/document-path.ts";
import type { ReportedPosition } from "../locate/vet-report.ts";
import { type CueFile, columnFromBytes, lineIndex, type SourcePosition } from "./source-position.ts";
import { findSpans, type SourceSpan, type SourceSpans } from "./source-spans.ts";

/**
 * Files of a document, prepared for the `cue` command. They have generated names, because a real name could break the
 * parsing of a report, and one package, because only then can files use each other's definitions.
 */
export type CueSources = {
  readonly files: readonly CueFile[];
  /** Input of the `cue` command by generated file name. */
  readonly texts: ReadonlyMap<string, string>;
  /** Package clause for an additional file, with its newline; empty when none is needed. */
  readonly packageClause: string;
  /** Converts a reported position; undefined for a file that is not part of the document. */
  positionOf(position: ReportedPosition): SourcePosition | undefined;
  /** Spans in all files where the path is written out, with their positions. */
  spansAt(path: DocumentPath): readonly LocatedSpan[];
  /** Source from a position to the end of its line. */
  textAt(position: SourcePosition): string;
  /** Offset of a position in its file, UTF-16 units. */
  offsetOf(position: SourcePosition): number;
};
type LocatedSpan = { readonly position: SourcePosition; readonly span: SourceSpan };

const clausePattern = /^(?:\uFEFF|\s|\/\/[^\n]*(?:\n|$)|@\w+\([^)\n]*\))*package[ \t]+([\p{L}_$][\p{L}\p{N}_$]*)/u;

/** Name of the package that a file declares; undefined when it declares none. */
export const packageOf = (text: string): string | undefined => clausePattern.exec(text)?.[1];

/** Prepares the files of a document. Fails, with a position, when they declare different packages. */
export function prepareSources(
  files: readonly CueFile[],
): Result<CueSources, { readonly message: string; readonly position: SourcePosition }> {
  const declared = files.map((file) => packageOf(file.text));
  const name = declared.find((each) => each !== undefined);
  const conflicting = declared.findIndex((each) => each !== undefined && each !== name);
  if (conflicting >= 0) {
    const text = files[conflicting]?.text ?? "";
    const position = { file: conflicting, ...lineIndex(text)(text.indexOf("package")) };
    return fail({ message: `package ${declared[conflicting]}: every file here must be of package ${name}`, position });
  }
  const packageClause = files.length > 1 || name !== undefined ? `package ${name ?? "document"}\n` : "";
  const added = declared.map((each) => each === undefined && packageClause !== "");
  const texts = new Map(
    files.map(({ text }, i) => [fileName(i), added[i] ? packageClause + text.replace(/^\uFEFF/, "") : text] as const),
  );
  return ok({ files, texts, packageClause, ...createLookups(files, added) });
}

const fileName = (index: number): string => `document-${index}.cue`;

function createLookups(
  files: readonly CueFile[],
  added: readonly boolean[],
): Pick<CueSources, "positionOf" | "spansAt" | "textAt" | "offsetOf"> {
  const lines = files.map(({ text }) => lazily(() => text.split("\n")));
  const spans = files.map(({ text }) => lazily((): SourceSpans => findSpans(text)));
  const index = files.map(({ text }) => lazily(() => lineIndex(text)));
  return {
    positionOf({ file, line, byteColumn }) {
      const at = files.findIndex((_, i) => fileName(i) === file);
      if (at < 0) return undefined;
      const ownLine = Math.max(1, line - (added[at] ? 1 : 0));
      return { file: at, line: ownLine, column: columnFromBytes(lines[at]?.() ?? [], ownLine, byteColumn) };
    },
    spansAt: (path) =>
      spans.flatMap((spansOfFile, file) =>
        (spansOfFile().get(pathKey(path)) ?? []).map((span) => ({
          span,
          position: { file, ...(index[file] as () => ReturnType<typeof lineIndex>)()(span.start) },
        })),
      ),
    offsetOf({ file, line, column }) {
      const own = lines[file]?.() ?? [];
      const before = own.slice(0, line - 1).reduce((length, each) => length + each.length + 1, 0);
      const start = [...(own[line - 1] ?? "").replace(/^\uFEFF/, "")].slice(0, column - 1).join("").length;
      return before + start + (own[line - 1]?.startsWith("\uFEFF") ? 1 : 0);
    },
    textAt: ({ file, line, column }) =>
      [...(lines[file]?.()[line - 1] ?? "").replace(/^\uFEFF/, "")].slice(column - 1).join(""),
  };
}

/** Defers `make` to the first call and returns its value from then on. */
function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
