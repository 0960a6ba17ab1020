import { addToSet, deleteFromSet } from "../set-index.ts";

/** Object that can be a problem; `sortKey` orders objects by name. */
type GraphObject = { readonly realm: string; readonly ref: string; readonly sortKey: string };

/** Problem with the references of the objects that suppress it directly, and its topmost cause. */
type Problem<T> = { suppressors: readonly string[]; cause: T | undefined };

/** Problem whose topmost cause was searched again; undefined for a top problem, and for a problem that has ended. */
type SearchedCause<T> = { readonly entry: T; readonly cause: T | undefined };

/**
 * Problems and their suppressors. The topmost cause of a problem is the first by name of all problems above it that are
 * not suppressed themselves. Suppressors without a problem do not count. A cycle with no problem above it has no cause.
 */
export class CauseGraph<T extends GraphObject = GraphObject> {
  readonly #problems = new Map<T, Problem<T>>();
  /** Problem of an object by realm and reference. */
  readonly #entries = new Map<string, T>();
  /** Problems that name an object as a suppressor, by realm and reference. */
  readonly #below = new Map<string, Set<T>>();
  /** Entries whose cause, and that of the problems below them, has to be searched again. */
  readonly #outdated = new Set<T>();

  /**
   * Sets the suppressors of a problem; undefined for an object without a problem.
   *
   * @returns true when causes may differ now
   */
  put(entry: T, suppressors: readonly string[] | undefined): boolean {
    const known = this.#problems.get(entry);
    if (suppressors === undefined && known === undefined) return false;
    if (suppressors !== undefined && known !== undefined && areSame(suppressors, known.suppressors)) return false;
    this.#outdated.add(entry);
    if (known !== undefined) this.#unlink(entry, known.suppressors);
    const key = keyOfEntry(entry, entry.ref);
    if (suppressors === undefined) {
      this.#problems.delete(entry);
      this.#entries.delete(key);
      return true;
    }
    this.#problems.set(entry, { suppressors, cause: known?.cause });
    this.#entries.set(key, entry);
    this.#link(entry, suppressors);
    return true;
  }

  causeOf(entry: T): T | undefined {
    return this.#problems.get(entry)?.cause;
  }

  /** Searches the causes of the outdated problems. The cost is proportional to their number and that of those below them. */
  takeChanges(): readonly SearchedCause<T>[] {
    if (this.#outdated.size === 0) return [];
    const searched = this.#withAllBelow(this.#outdated);
    this.#outdated.clear();
    for (const entry of searched) {
      const problem = this.#problems.get(entry);
      if (problem !== undefined) problem.cause = undefined;
    }
    const starts = [...this.#startsOf(searched)].sort(([a], [b]) => (a.sortKey < b.sortKey ? -1 : 1));
    for (const [cause, entries] of starts) this.#spread(cause, entries, searched);
    return [...searched].map((entry) => ({ entry, cause: this.causeOf(entry) }));
  }

  #withAllBelow(entries: Iterable<T>): ReadonlySet<T> {
    const found = new Set(entries);
    // A set that grows during the pass yields the added entries too.
    for (const entry of found) for (const below of this.#belowOf(entry)) found.add(below);
    return found;
  }

  /** Entries of `searched` directly below a cause, or below an entry whose cause is known, by that cause. */
  #startsOf(searched: ReadonlySet<T>): ReadonlyMap<T, readonly T[]> {
    const starts = new Map<T, T[]>();
    for (const entry of searched) {
      for (const above of this.#aboveOf(entry)) {
        const cause = this.#isSuppressed(above) ? this.causeOf(above) : above;
        if (cause === undefined) continue;
        starts.getOrInsertComputed(cause, () => []).push(entry);
      }
    }
    return starts;
  }

  /** Sets the cause of entries and of all below them, unless they have an earlier one by name already. */
  #spread(cause: T, entries: readonly T[], searched: ReadonlySet<T>): void {
    const open = [...entries];
    for (let entry = open.pop(); entry !== undefined; entry = open.pop()) {
      const problem = this.#problems.get(entry);
      if (problem === undefined || problem.cause !== undefined || !searched.has(entry)) continue;
      problem.cause = cause;
      open.push(...this.#belowOf(entry));
    }
  }

  #isSuppressed(entry: T): boolean {
    return !this.#aboveOf(entry).next().done;
  }

  /** Problems that suppress an entry directly. */
  *#aboveOf(entry: T): Generator<T> {
    for (const ref of this.#problems.get(entry)?.suppressors ?? []) {
      const above = this.#entries.get(keyOfEntry(entry, ref));
      if (above !== undefined && above !== entry) yield above;
    }
  }

  #belowOf(entry: T): Iterable<T> {
    return this.#below.get(keyOfEntry(entry, entry.ref)) ?? [];
  }

  #link(entry: T, suppressors: readonly string[]): void {
    for (const ref of suppressors) addToSet(this.#below, keyOfEntry(entry, ref), entry);
  }

  #unlink(entry: T, suppressors: readonly string[]): void {
    for (const ref of suppressors) deleteFromSet(this.#below, keyOfEntry(entry, ref), entry);
  }
}

/** Key of an object in the realm of an entry. */
const keyOfEntry = ({ realm }: GraphObject, ref: string): string => `${realm}\0${ref}`;

const areSame = (a: readonly string[], b: readonly string[]): boolean =>
  a === b || (a.length === b.length && a.every((ref, at) => ref === b[at]));
