import { fail, ok, type Result } from "../../../model/result.ts";
import type { Token } from "../source/tokens.ts";
import { orderFields } from "../static/field-order.ts";
import { hasValidCharacters } from "../static/parse-static.ts";
import { otherLabel, type SourcePiece, type SplitObstacle, SplitReader } from "./split-reader.ts";

/** Everything that a document declares under the label of one entry. */
export type SourcePart = { readonly label: string; readonly pieces: readonly SourcePiece[] };

/** Document whose entries of one field can be evaluated apart from each other, each with what all share. */
export type SplitSource = {
  readonly source: string;
  readonly tokens: readonly Token[];
  /** All pieces but the parts'. The entries that others refer to are here. */
  readonly shared: readonly SourcePiece[];
  readonly sharedLabels: ReadonlySet<string>;
  readonly parts: readonly SourcePart[];
  /** Labels of all entries in the order in which CUE prints them. */
  readonly order: readonly string[];
  /** Document with what all share and some of the parts only. `written` gives the text of a part's piece. */
  textOf(written: (piece: SourcePiece, label: string) => string | undefined): string;
};

/**
 * Splits a document into the entries of the struct `field` at its root and what all of them share. CUE evaluates an entry
 * with the shared text to the same value as in the whole document, because nothing else of the document can change it:
 * no expression refers to `field` as a whole or to another entry, and `field` is declared by literal structs only.
 *
 * Anything whose meaning is uncertain is an obstacle. An invalid document may be split: then evaluating one of its parts
 * fails too.
 */
export function splitSource(text: string, field: string): Result<SplitSource, SplitObstacle> {
  if (!hasValidCharacters(text)) return fail({ message: "contains characters that are not valid", at: 0 });
  const reader = new SplitReader(text, field);
  const obstacle = reader.readRoot() ?? findOddGap(text, reader.pieces);
  if (obstacle !== undefined) return fail(obstacle);
  const shared = reader.findShared();
  return shared.ok ? ok(assemble(reader, shared.value)) : shared;
}

function assemble(reader: SplitReader, inShared: ReadonlySet<string>): SplitSource {
  const parts = new Map<string, SourcePiece[]>();
  const shared: SourcePiece[] = [];
  // Neighbours in the shared text are joined: a document may have 100 000 pieces.
  const runs: (string | SourcePiece)[] = [];
  for (const piece of reader.pieces) {
    const { part, text } = piece;
    if (part !== undefined && !inShared.has(part)) {
      const known = parts.get(part);
      if (known === undefined) parts.set(part, [piece]);
      else known.push(piece);
      runs.push(piece);
      continue;
    }
    shared.push(piece);
    const before = runs.at(-1);
    if (typeof before === "string") runs[runs.length - 1] = `${before}\n${text}`;
    else runs.push(text);
  }
  const order = orderFields(reader.literals).filter((label) => !label.startsWith(otherLabel));
  return {
    source: reader.source,
    tokens: reader.tokens,
    shared,
    sharedLabels: new Set(order.filter((label) => !parts.has(label))),
    parts: [...parts].map(([label, pieces]) => ({ label, pieces })),
    order,
    textOf: (written) =>
      runs
        .map((run) => (typeof run === "string" ? run : written(run, run.part as string)))
        .filter((text) => text !== undefined)
        .join("\n"),
  };
}

/** Finds a character between two pieces that CUE may not accept. The split would drop it. */
function findOddGap(text: string, pieces: readonly SourcePiece[]): SplitObstacle | undefined {
  let from = text.startsWith("\uFEFF") ? 1 : 0;
  for (const { at, text: own } of [...pieces, { at: text.length, text: "" }]) {
    if (at > from && /[^ \t\r\n,]/.test(text.slice(from, at).replace(/\/\/[^\n]*/g, "")))
      return { message: "cannot be parsed", at: from };
    from = at + own.length;
  }
  return undefined;
}
