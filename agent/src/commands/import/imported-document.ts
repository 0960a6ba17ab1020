import type { ImportItem } from "./import-report.ts";
import type { SourceNotes } from "./source-notes.ts";

/** Part of a configuration document that an import makes; `formatCue` writes it. */
export type CueObject = Record<string, unknown>;

/** Configuration document, which the programs accept, and the findings about the objects of the source. */
export type ConvertedDocument = {
  readonly document: CueObject;
  readonly notes: SourceNotes;
  readonly items: readonly ImportItem[];
};

/** True for a value that is neither undefined nor an empty list or struct. */
const isFilled = (value: unknown): boolean =>
  typeof value === "object" ? Object.keys(value ?? {}).length > 0 : value !== undefined;

/** The fields without those that are undefined, an empty list or an empty struct. */
export const filledFields = (fields: CueObject): CueObject =>
  Object.fromEntries(Object.entries(fields).filter(([, value]) => isFilled(value)));

/** The document without empty sections; `hosts` is required. */
export const withoutEmptySections = (document: CueObject): CueObject =>
  Object.fromEntries(Object.entries(document).filter(([name, value]) => name === "hosts" || isFilled(value)));

/** Duration in the form of the document. */
export function durationText(seconds: number): string {
  if (seconds > 0 && seconds % 3600 === 0) return `${seconds / 3600}h`;
  if (seconds > 0 && seconds % 60 === 0) return `${seconds / 60}m`;
  return Number.isInteger(seconds) ? `${seconds}s` : `${Math.round(seconds * 1000)}ms`;
}

/** Label by which the members of a group are selected. */
export const groupLabel = (kind: "hostgroup" | "servicegroup", group: string): string =>
  `${kind}.${group.toLowerCase().replaceAll(/[^a-z0-9_.-]+/g, "-")}`;

/** Name that is not a key of `taken`: `wish`, or else the first of `numbered` from 2 on. */
export function unusedName(
  wish: string,
  taken: object,
  numbered = (count: number): string => `${wish}-${count}`,
): string {
  let name = wish;
  for (let count = 2; Object.hasOwn(taken, name); count += 1) name = numbered(count);
  return name;
}

/** Parts of one section of a document. Equal ones that are asked for by the same name are one. */
export class SharedParts {
  readonly parts: CueObject = {};
  readonly #names = new Map<string, string>();

  /** Name of a part: the wish or, where another part has it, one with a number. */
  nameOf(wish: string, part: CueObject): string {
    return this.#names.getOrInsertComputed(JSON.stringify([wish, part]), () => {
      const name = unusedName(wish, this.parts);
      this.parts[name] = part;
      return name;
    });
  }
}
