import type { Token } from "../source/tokens.ts";
import { findTextDependence, plainTextOf } from "./parametric.ts";
import { forEachReference } from "./references.ts";
import type { SourcePiece } from "./split-reader.ts";
import type { SourcePart, SplitSource } from "./split-source.ts";

/** Part of a shape: its label and the texts of its literals, in the order of the shape's symbols. */
type ShapeMember = { readonly part: SourcePart; readonly texts: readonly string[] };

/** Parts whose sources differ in literals only. */
export type PartShape = {
  /** Source with a symbol in place of each of these literals, and of the entry's label. */
  readonly source: string;
  /** The source with another text for the label. */
  sourceOf(label: string): string;
  readonly members: readonly ShapeMember[];
};

const [start, end] = ["\uE000", "\uE001"];
/** Text that stands for any text in a shape's source, and for the text of the member in its value. */
export const symbolOf = (name: string | number): string => `${start}${name}${end}`;
export const symbols = new RegExp(`${start}(\\w+)${end}`, "g");
const mayHoldSymbols = new RegExp(`[${start}${end}]|\\\\[uU]0*[eE]00`);

/**
 * Groups parts by their shape. All parts of a shape have the same value but for these texts: none of the expressions
 * that they use depends on the content of a text, and none of these texts is part of a literal that stays.
 *
 * @param isKnown tells whether the value of a shape is known, by its source; default: none is
 * @returns shapes with their parts, and the parts that have no shape. A shape of one part is left out unless it is known.
 */
export function findShapes(
  split: SplitSource,
  isKnown: (source: string) => boolean = () => false,
): {
  readonly shapes: readonly PartShape[];
  readonly others: readonly SourcePart[];
} {
  if (mayHoldSymbols.test(split.source)) return { shapes: [], others: split.parts };
  const shared = new SharedPieces(split);
  const members = new Map<string, ShapeMember[]>();
  const others: SourcePart[] = [];
  for (const part of split.parts) {
    const constants = shared.constantsFor(part);
    const shaped = constants === undefined ? undefined : shapeOf(part, split, constants);
    if (shaped === undefined) {
      others.push(part);
      continue;
    }
    members.getOrInsertComputed(shaped.shape, () => []).push({ part, texts: shaped.texts });
  }
  const shapes: PartShape[] = [];
  for (const [shape, own] of members) {
    const sourceOf = (label: string): string => shape.replaceAll(symbolOf("label"), label);
    if (own.length > 1 || isKnown(shape)) shapes.push({ source: shape, members: own, sourceOf });
    else others.push((own[0] as ShapeMember).part);
  }
  return { shapes, others };
}

/** Declarations of the shared text, by the names with which parts refer to them. */
class SharedPieces {
  readonly #tokens: readonly Token[];
  readonly #byName = new Map<string, SourcePiece[]>();
  /** Pieces that every part meets: those of the split field. */
  readonly #always: SourcePiece[] = [];
  /** Results of `constantsFor` by the names in a part. */
  readonly #known = new Map<string, string | undefined>();

  constructor({ shared, tokens }: SplitSource) {
    this.#tokens = tokens;
    for (const piece of shared) {
      const name = piece.part ?? piece.name;
      if (name === undefined) this.#always.push(piece);
      else
        for (const each of namesOf(piece, name, tokens)) this.#byName.getOrInsertComputed(each, () => []).push(piece);
    }
  }

  /** Texts of all literals that a part may meet in what is shared; undefined when an expression depends on a text. */
  constantsFor({ pieces }: SourcePart): string | undefined {
    const names = [...new Set(pieces.flatMap((piece) => this.#namesIn(piece)))].sort();
    return this.#known.getOrInsertComputed(names.join(" "), () => this.#constantsOf(names));
  }

  #constantsOf(names: readonly string[]): string | undefined {
    const reached = new Set(this.#always);
    const seen = new Set<string>();
    const queue = [...names, ...this.#always.flatMap((piece) => this.#namesIn(piece))];
    for (let name = queue.pop(); name !== undefined; name = queue.pop()) {
      if (seen.has(name)) continue;
      seen.add(name);
      for (const piece of this.#byName.get(name) ?? []) {
        reached.add(piece);
        queue.push(...this.#namesIn(piece));
      }
    }
    const all = [...reached];
    if (all.some((piece) => findTextDependence(this.#tokens, piece) !== undefined)) return undefined;
    return all.flatMap(({ from, to }) => this.#tokens.slice(from, to).flatMap(textOfString)).join("\n");
  }

  /** Names of shared pieces to which a piece may refer. */
  #namesIn(piece: SourcePiece): string[] {
    const names: string[] = [];
    forEachReference(this.#tokens, piece, (name) => {
      if (this.#byName.has(name)) names.push(name);
    });
    return names;
  }
}

/** Names by which expressions refer to a piece: several for an import clause. */
function namesOf({ from, to }: SourcePiece, name: string, tokens: readonly Token[]): readonly string[] {
  if (name !== "import") return [name];
  return tokens.slice(from, to).map(({ text, value }) => (value === undefined ? text : value.replace(/^.*[/:]/, "")));
}

const textOfString = (token: Token): string[] => (token.kind === "string" ? [plainTextOf(token) ?? token.text] : []);

/** Source of a part with symbols, and the texts that they stand for; undefined when it has none. */
function shapeOf(
  { label, pieces }: SourcePart,
  { tokens }: SplitSource,
  constants: string,
): { readonly shape: string; readonly texts: readonly string[] } | undefined {
  const [piece, ...more] = pieces;
  if (piece?.labelToken === undefined || more.length > 0 || constants.includes(label)) return undefined;
  if (findTextDependence(tokens, piece) !== undefined) return undefined;
  const candidates = new Map<number, string>();
  const own: string[] = [];
  for (let i = piece.from; i < piece.to; i += 1) {
    const token = tokens[i] as Token;
    if (token.kind !== "string" || i === piece.labelToken) continue;
    const text = isWholeValue(tokens, i) ? plainTextOf(token) : undefined;
    if (text !== undefined && text !== "" && !text.includes("\n") && !constants.includes(text)) candidates.set(i, text);
    else own.push(...textOfString(token));
  }
  const ownTexts = own.join("\n");
  if (ownTexts.includes(label)) return undefined;
  return writeShape(piece, tokens, {
    label,
    textAt(i) {
      const text = candidates.get(i);
      return text === undefined || ownTexts.includes(text) ? undefined : text;
    },
  });
}

function writeShape(
  { from, to, labelToken }: SourcePiece,
  tokens: readonly Token[],
  { label, textAt }: { readonly label: string; textAt(i: number): string | undefined },
): { readonly shape: string; readonly texts: readonly string[] } {
  const names = new Map<string, string | number>([[label, "label"]]);
  const texts: string[] = [];
  const written: string[] = [];
  for (let i = from; i < to; i += 1) {
    const text = i === labelToken ? label : textAt(i);
    const token = tokens[i] as Token;
    // Blanks and comments do not make a difference, but `a.b` must not become two words.
    if (i > from && token.at > endOf(tokens[i - 1] as Token)) written.push(" ");
    if (text === undefined) written.push(token.text);
    else written.push(`"${symbolOf(names.getOrInsertComputed(text, () => texts.push(text) - 1))}"`);
  }
  return { shape: written.join(""), texts };
}

const endOf = ({ at, text }: Token): number => at + text.length;

/** True for a literal that is the whole value of a field or the whole element of a list. */
function isWholeValue(tokens: readonly Token[], i: number): boolean {
  let at = i - 1;
  while (tokens[at]?.kind === "newline") at -= 1;
  const [before, next] = [tokens[at], tokens[i + 1]];
  if (before?.kind !== "mark" || !startMarks.has(before.text)) return false;
  return next === undefined || next.kind === "newline" || next.kind === "end" || endMarks.has(next.text);
}

const startMarks: ReadonlySet<string> = new Set([":", ",", "["]);
const endMarks: ReadonlySet<string> = new Set([",", "}", "]"]);
