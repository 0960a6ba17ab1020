import { globSync, readFileSync } from "node:fs";
import fc from "fast-check";

const here = new URL("./", import.meta.url).pathname;

/** Texts of all documents beside this file and of the demo. */
export const corpus: readonly string[] = ["{good,broken,demo}/**/*.cue", "../../compose/demo/*.cue"]
  .flatMap((pattern) => globSync(pattern, { cwd: here }))
  .sort()
  .map((name) => readFileSync(new URL(name, import.meta.url), "utf8"));

const pieces = [
  ...'{}[]:,"\\\n\t /0-.#_é\r',
  "//",
  '"a": 1',
  "a: b: ",
  "true",
  "...",
  ", ",
  '"""',
  "\n\n",
  "1.5",
  "null",
  "{}",
];

/** Change at the relative position `at` of a text. */
type Change = { readonly at: number; readonly piece: string; readonly kind: "insert" | "remove" | "repeat" | "swap" };
const change: fc.Arbitrary<Change> = fc.record({
  at: fc.double({ min: 0, max: 1, noNaN: true }),
  piece: fc.constantFrom(...pieces),
  kind: fc.constantFrom("insert", "remove", "repeat", "swap"),
});

/** Documents with up to three changes, most of which make them invalid. */
export const mutated = (texts: readonly string[]): fc.Arbitrary<string> =>
  fc.tuple(fc.constantFrom(...texts), changes(3)).map(([text, edit]) => edit(text));

/** Functions that make up to `maxLength` changes to a text. */
export const changes = (maxLength: number): fc.Arbitrary<(text: string) => string> =>
  fc.array(change, { maxLength }).map((all) => (text) => all.reduce(apply, text));

function apply(text: string, { at, piece, kind }: Change): string {
  const offset = Math.floor(at * text.length);
  if (kind === "insert") return text.slice(0, offset) + piece + text.slice(offset);
  if (kind === "remove") return text.slice(0, offset) + text.slice(offset + piece.length);
  const lines = text.split("\n");
  const line = Math.floor(at * lines.length);
  if (kind === "repeat") lines.splice(line, 0, lines[line] ?? "");
  else lines.push(...lines.splice(line, 1));
  return lines.join("\n");
}
