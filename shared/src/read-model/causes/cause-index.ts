import { objectKinds } from "../../model/object-key.ts";
import type { Impact } from "../../model/row.ts";
import { isProblem, statuses } from "../../model/status.ts";
import type { Row } from "../../row/row.ts";
import type { ObjectEntry } from "../rows/object-entry.ts";
import { CauseGraph } from "./cause-graph.ts";

/** Numbers of the consequences of a cause, by kind and status. */
type Tally = Map<number, number>;
/** Cell of a tally in which a consequence is counted. */
type Counted = { readonly cause: ObjectEntry; readonly cell: number };

/**
 * [CS1] Topmost causes of problems and the impact of these causes. Only problems are held. A change of a problem that keeps
 * its suppressors costs a few lookups; another one costs the number of problems behind it.
 */
export class CauseIndex {
  readonly #graph = new CauseGraph<ObjectEntry>();
  readonly #tallies = new Map<ObjectEntry, Tally>();
  readonly #counted = new Map<ObjectEntry, Counted>();
  /** Problems whose row changed, but not their suppressors. */
  readonly #restated = new Set<ObjectEntry>();

  /** Takes the present row of an entry into account at the next call of `takeChanges`. */
  update(entry: ObjectEntry): void {
    const { row } = entry;
    const isNow = row !== undefined && isProblem(row.status);
    if (this.#graph.put(entry, isNow ? row.suppressors : undefined)) return;
    if (isNow && this.#counted.has(entry)) this.#restated.add(entry);
  }

  /** Brings causes and impacts up to date and returns the entries whose cause or impact may have changed since the last call. */
  takeChanges(): ReadonlySet<ObjectEntry> {
    const changed = new Set<ObjectEntry>();
    for (const { entry, cause } of this.#graph.takeChanges()) {
      changed.add(entry);
      this.#recount(entry, cause, changed);
    }
    for (const entry of this.#restated) this.#recount(entry, this.#graph.causeOf(entry), changed);
    this.#restated.clear();
    return changed;
  }

  causeOf(entry: ObjectEntry): ObjectEntry | undefined {
    return this.#graph.causeOf(entry);
  }

  impactOf(entry: ObjectEntry): Impact | undefined {
    const tally = this.#tallies.get(entry);
    return tally && impactOfTally(tally);
  }

  #recount(entry: ObjectEntry, cause: ObjectEntry | undefined, changed: Set<ObjectEntry>): void {
    const before = this.#counted.get(entry);
    const cell = entry.row === undefined ? -1 : cellOf(entry.row);
    if (before?.cause === cause && before?.cell === cell) return;
    if (before !== undefined) {
      this.#add(before, -1);
      changed.add(before.cause);
    }
    if (cause === undefined) {
      this.#counted.delete(entry);
      return;
    }
    const now = { cause, cell };
    this.#add(now, 1);
    changed.add(cause);
    this.#counted.set(entry, now);
  }

  #add({ cause, cell }: Counted, by: 1 | -1): void {
    const tally: Tally = this.#tallies.get(cause) ?? new Map();
    const count = (tally.get(cell) ?? 0) + by;
    if (count === 0) tally.delete(cell);
    else tally.set(cell, count);
    if (tally.size === 0) this.#tallies.delete(cause);
    else this.#tallies.set(cause, tally);
  }
}

const cellOf = ({ about, status }: Row): number =>
  objectKinds.indexOf(about.key.kind) * statuses.length + statuses.indexOf(status);

export const areEqualImpacts = (a: Impact | undefined, b: Impact | undefined): boolean =>
  a === b ||
  (a?.counts.length === b?.counts.length &&
    (a?.counts ?? []).every(({ kind, status, count }, at) => {
      const other = b?.counts[at];
      return kind === other?.kind && status === other.status && count === other.count;
    }));

const impactOfTally = (tally: Tally): Impact => ({
  counts: objectKinds.flatMap((kind, first) =>
    statuses.flatMap((status, second) => {
      const count = tally.get(first * statuses.length + second);
      return count === undefined ? [] : [{ kind, status, count }];
    }),
  ),
});
