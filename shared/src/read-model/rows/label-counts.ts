import { type Status, severityOf } from "../../model/status.ts";
import { compareTexts } from "../../text/compare-texts.ts";
import type { LabelCount } from "../read-model.ts";
import type { LiveEntry } from "./object-entry.ts";

/** Maximum number of labels that are listed. */
const maxLabels = 100;

/** Maximum number of different labels that are counted, so that one label per object does not fill the memory. */
const maxCounted = 20_000;

type Counted = { count: number; lastKnown: number; worst: Status };
const newCounts = (): Map<string, Counted> => new Map();

/**
 * Counts the labels of rows, those of the realm included.
 *
 * @param isStale true for a realm that is not current
 * @returns the most frequent labels first, then by key and value
 */
export function countLabels(entries: Iterable<LiveEntry>, isStale: (realm: string) => boolean): readonly LabelCount[] {
  const keys = new Map<string, Map<string, Counted>>();
  let size = 0;
  for (const { row, realm } of entries) {
    const stale = isStale(realm) ? 1 : 0;
    for (const key in row.about.labels) {
      const value = row.about.labels[key] ?? "";
      const values = keys.getOrInsertComputed(key, newCounts);
      const counted = values.get(value);
      if (counted === undefined) {
        if (size === maxCounted) continue;
        size += 1;
        values.set(value, { count: 1, lastKnown: stale, worst: row.status });
      } else {
        counted.count += 1;
        counted.lastKnown += stale;
        if (severityOf[row.status] > severityOf[counted.worst]) counted.worst = row.status;
      }
    }
  }
  return [...keys]
    .flatMap(([key, values]) => [...values].map(([value, counted]) => ({ key, value, ...counted })))
    .sort((a, b) => b.count - a.count || compareTexts(a.key, b.key) || compareTexts(a.value, b.value))
    .slice(0, maxLabels);
}
