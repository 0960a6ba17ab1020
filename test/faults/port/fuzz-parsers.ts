import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { FuzzedParser } from "./parsers.ts";
import type { WorkCounter } from "./work-counter.ts";

const oddities = ["\u0000", "\ud800", "é", "\u202e", "\u2028", "😀", "\ufeff", "a\u0301", "\r", "\u007f"];

const pick = (all: readonly string[], chance: SeededRandom): string => all[Math.floor(chance.upTo(all.length))] ?? "";

/** Random text: pieces of the grammar, or a valid text with up to eight characters changed, removed or repeated. */
function randomText({ pieces, samples }: FuzzedParser, chance: SeededRandom): string {
  if (chance.upTo(1) < 0.5) {
    const length = Math.floor(chance.upTo(chance.upTo(1) < 0.1 ? 300 : 12));
    return Array.from({ length }, () => pick(chance.upTo(1) < 0.05 ? oddities : pieces, chance)).join("");
  }
  let text = pick(samples, chance);
  for (let n = Math.floor(chance.upTo(8)); n >= 0; n -= 1) {
    const at = Math.floor(chance.upTo(text.length + 1));
    const end = at + Math.floor(chance.upTo(10));
    const change = chance.oneOf(["insert", "odd", "remove", "repeat"]);
    if (change === "remove") text = text.slice(0, at) + text.slice(end);
    else if (change === "repeat") text = text.slice(0, end) + text.slice(at);
    else text = text.slice(0, at) + pick(change === "odd" ? oddities : pieces, chance) + text.slice(at);
  }
  return text;
}

/** Parses random texts. @returns a description of the first text that the parser cannot handle */
export function fuzzParser(parser: FuzzedParser, chance: SeededRandom, count: number): string | undefined {
  for (let n = 0; n < count; n += 1) {
    const text = randomText(parser, chance);
    try {
      const wrong = parser.parse(text);
      if (wrong !== undefined) return `${JSON.stringify(text)}: ${wrong}`;
    } catch (error) {
      return `${JSON.stringify(text)}: ${error instanceof Error ? error.stack : error}`;
    }
  }
  return undefined;
}

/** Texts of a length that grows: one piece, or two by turns, repeated after each beginning. */
export function growingTexts({ pieces, samples }: FuzzedParser): ((length: number) => string)[] {
  const units = pieces.flatMap((one) => [one, ...pieces.map((other) => one + other)]);
  const beginnings = ["", ...samples];
  return units.map((unit, index) => (length) => {
    const beginning = beginnings[index % beginnings.length] ?? "";
    return beginning + unit.repeat(Math.ceil(length / unit.length));
  });
}

const shortLength = 1_000;
/** Factor between the two lengths that are compared. */
const growth = 8;
/** Work for each character that is proportional to the length whatever a shorter text takes: it may end in an error. */
const blocksPerCharacter = 5;
/** Work that does not depend on the length, blocks. */
const fixedWork = 2_000;

/** Compares the work for texts of two lengths. @returns the texts for which it grows faster than the length */
export async function superlinearTexts(parser: FuzzedParser, counter: WorkCounter): Promise<string[]> {
  const found: string[] = [];
  for (const textOf of growingTexts(parser)) {
    const short = await counter.count(() => parser.parse(textOf(shortLength)));
    const long = await counter.count(() => parser.parse(textOf(growth * shortLength)));
    const isMuch = long > blocksPerCharacter * growth * shortLength;
    if (isMuch && long > 1.5 * growth * short + fixedWork)
      found.push(`${JSON.stringify(textOf(40))}: ${short} and ${long} blocks`);
  }
  return found;
}
