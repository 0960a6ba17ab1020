import { compareTexts } from "@realmwatch/shared/text/compare-texts";
/** Line of the sources of an import. `line` counts from 1. */
export type SourceLine = { readonly file: string; readonly line: number };

/** Part of the sources that is left out, with the reason. */
export type SourceProblem = { readonly source: SourceLine; readonly why: string };

/** Degree to which an object was converted. */
export type ImportOutcome = "converted" | "approximated" | "unsupported";

/** One finding of an import. `why` is empty for an object that was converted as it is; else it says what needs no conversion. */
export type ImportItem = {
  readonly source: SourceLine;
  /** Type of the object in the source, such as `service`. */
  readonly kind: string;
  readonly name: string;
  readonly outcome: ImportOutcome;
  readonly why: string;
};

/** Collects the findings of an import. */
export class ImportReport {
  readonly #items: ImportItem[] = [];
  readonly #seen = new Set<string>();

  add(item: ImportItem): void {
    const key = JSON.stringify(item);
    if (this.#seen.has(key)) return;
    this.#seen.add(key);
    this.#items.push(item);
  }

  /** Items in the order of the sources; an object with remarks has no item of its mere conversion. */
  items(): readonly ImportItem[] {
    const remarked = new Set(this.#items.filter(({ outcome }) => outcome !== "converted").map(nameOf));
    return this.#items
      .filter((item) => item.outcome !== "converted" || item.why !== "" || !remarked.has(nameOf(item)))
      .sort((a, b) => compareTexts(a.source.file, b.source.file) || a.source.line - b.source.line);
  }
}

const nameOf = ({ kind, name }: ImportItem): string => `${kind} ${name}`;

/** Number of items of each outcome. */
export function countOutcomes(items: readonly ImportItem[]): Readonly<Record<ImportOutcome, number>> {
  const counts = { converted: 0, approximated: 0, unsupported: 0 };
  for (const { outcome } of items) counts[outcome] += 1;
  return counts;
}
