import { fail, ok, type Result } from "../../../model/result.ts";
import type { WrittenEntries } from "../changes/written-entries.ts";
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
  /** The same order with further entries, which are written after entries of the document, by the labels of these. */
  orderWith(writtenAfter: ReadonlyMap<string, readonly string[]>): readonly string[];
  /** All names to which expressions may refer. */
  readonly names: ReadonlySet<string>;
  /** The parts as they are written; undefined when an entry is written in several places. */
  readonly entries: WrittenEntries | undefined;
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
 *
 * @param moreNames names to which expressions that were left out of the document may refer; default: none
 */
export function splitSource(
  text: string,
  field: string,
  moreNames: ReadonlySet<string> = new Set(),
): Result<SplitSource, SplitObstacle> {
  if (!hasValidCharacters(text)) return fail({ message: "contains characters that are not valid", at: 0 });
  const reader = new SplitReader(text, field);
  const obstacle = reader.readRoot() ?? findOddGap(text, reader.pieces);
  if (obstacle !== undefined) return fail(obstacle);
  const shared = reader.findShared(moreNames);
  return shared.ok ? ok(assemble(reader, shared.value)) : shared;
}

function assemble(
  reader: SplitReader,
  { labels: inShared, names }: { readonly labels: ReadonlySet<string>; readonly names: ReadonlySet<string> },
): SplitSource {
  const parts = new Map<string, SourcePiece[]>();
  const shared: SourcePiece[] = [];
  // Neighbours in the shared text are joined: a document may have 100 000 pieces.
  const runs: (string | SourcePiece)[] = [];
  for (const piece of reader.pieces) {
    const { part, text } = piece;
    if (part !== undefined && !inShared.has(part)) {
      parts.getOrInsertComputed(part, () => []).push(piece);
      runs.push(piece);
      continue;
    }
    shared.push(piece);
    const before = runs.at(-1);
    if (typeof before === "string") runs[runs.length - 1] = `${before}\n${text}`;
    else runs.push(text);
  }
  const orderWith: SplitSource["orderWith"] = (writtenAfter) =>
    orderFields(literalsWith(reader, writtenAfter)).filter((label) => !label.startsWith(otherLabel));
  const order = orderWith(new Map());
  return {
    source: reader.source,
    tokens: reader.tokens,
    shared,
    sharedLabels: new Set(order.filter((label) => !parts.has(label))),
    parts: [...parts].map(([label, pieces]) => ({ label, pieces })),
    order,
    orderWith,
    names,
    entries: writtenEntries(reader, parts, order),
    textOf: (written) =>
      runs
        .map((run) => (typeof run === "string" ? run : written(run, run.part as string)))
        .filter((text) => text !== undefined)
        .join("\n"),
  };
}

/** Labels of each literal, with those that are written after some of them. */
const literalsWith = (
  { literals }: SplitReader,
  writtenAfter: ReadonlyMap<string, readonly string[]>,
): readonly (readonly string[])[] =>
  literals.flatMap(({ labels, isChained }) => {
    const all = labels.flatMap((label) => [label, ...(writtenAfter.get(label) ?? [])]);
    return isChained ? all.map((label) => [label]) : [all];
  });

function writtenEntries(
  { source, literals }: SplitReader,
  parts: ReadonlyMap<string, readonly SourcePiece[]>,
  order: readonly string[],
): WrittenEntries | undefined {
  const written = literals.reduce(
    (count, { labels }) => count + labels.filter((each) => !each.startsWith(otherLabel)).length,
    0,
  );
  if (written !== order.length) return undefined;
  const pieces = [...parts.values()].flat();
  return {
    text: source,
    labels: [...parts.keys()],
    starts: pieces.map(({ at }) => at),
    ends: pieces.map(({ at, text }) => at + text.length),
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
