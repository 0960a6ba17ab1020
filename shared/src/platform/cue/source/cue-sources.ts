import { fail, ok, type Result } from "../../../model/result.ts";
import { type CueFile, columnOfBytes, lineIndex, type Place } from "./source-position.ts";
import type { CuePlace } from "../locate/vet-report.ts";
import { type Path, pathKey, type Spot, type Spots, spotsOf } from "./source-spans.ts";

/**
 * A document made ready for the `cue` command: under names of our own, so that nothing in a real name can confuse a
 * report, and as one package, so that files see each other's definitions even where they declare none.
 */
export type Sheet = {
  readonly files: readonly CueFile[];
  /** What the command is given; keys are its file names. */
  readonly texts: ReadonlyMap<string, string>;
  /** The package clause a further file needs to belong here, with its newline; empty where none does. */
  readonly clause: string;
  placeOf(place: CuePlace): Place | undefined;
  /** Every literal spot of a path, over all files, with its place. */
  spotsAt(path: Path): readonly SpotPlace[];
  /** The source from a place on, as far as its line goes. */
  textAt(place: Place): string;
  /** The offset of a place in its file, in UTF-16 units. */
  offsetOf(place: Place): number;
};
export type SpotPlace = Place & { readonly spot: Spot };

const clausePattern = /^(?:\uFEFF|\s|\/\/[^\n]*(?:\n|$))*package[ \t]+([\p{L}_$][\p{L}\p{N}_$]*)/u;
const packageOf = (text: string): string | undefined => clausePattern.exec(text)?.[1];

/** Joins files into one sheet; fails, with the place, where they declare different packages. */
export function sheetOf(files: readonly CueFile[]): Result<Sheet, { readonly message: string; readonly place: Place }> {
  const declared = files.map((file) => packageOf(file.text));
  const name = declared.find((each) => each !== undefined);
  const stranger = declared.findIndex((each) => each !== undefined && each !== name);
  if (stranger >= 0) {
    const text = files[stranger]?.text ?? "";
    const place = { file: stranger, ...lineIndex(text)(text.indexOf("package")) };
    return fail({ message: `package ${declared[stranger]}: every file here must be of package ${name}`, place });
  }
  const clause = files.length > 1 || name !== undefined ? `package ${name ?? "document"}\n` : "";
  const added = declared.map((each) => each === undefined && clause !== "");
  const texts = new Map(
    files.map(({ text }, i) => [fileName(i), added[i] ? clause + text.replace(/^\uFEFF/, "") : text] as const),
  );
  return ok({ files, texts, clause, ...placesOf(files, added) });
}

const fileName = (index: number): string => `document-${index}.cue`;

function placesOf(
  files: readonly CueFile[],
  added: readonly boolean[],
): Pick<Sheet, "placeOf" | "spotsAt" | "textAt" | "offsetOf"> {
  const lines = files.map(({ text }) => lazily(() => text.split("\n")));
  const spots = files.map(({ text }) => lazily((): Spots => spotsOf(text)));
  const index = files.map(({ text }) => lazily(() => lineIndex(text)));
  return {
    placeOf({ file, line, byteColumn }) {
      const at = files.findIndex((_, i) => fileName(i) === file);
      if (at < 0) return undefined;
      const ownLine = Math.max(1, line - (added[at] ? 1 : 0));
      return { file: at, line: ownLine, column: columnOfBytes(lines[at]?.() ?? [], ownLine, byteColumn) };
    },
    spotsAt: (path) =>
      spots.flatMap((of, file) =>
        (of().get(pathKey(path)) ?? []).map((spot) => ({
          file,
          spot,
          ...(index[file] as () => ReturnType<typeof lineIndex>)()(spot.at),
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

function lazily<T>(make: () => T): () => T {
  let made: { readonly value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}
