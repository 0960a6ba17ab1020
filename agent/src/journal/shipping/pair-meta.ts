import type { DatabaseSync } from "node:sqlite";
import { rowCrc } from "../schema/row-crc.ts";
import { isShared, type WriteOf, type WriteOperation } from "../write/write-operation.ts";
import { encodeGroup, type JournalGroup, type ShippedGroup } from "./group-shipping.ts";
import { type JournalCounters, type JournalTerm, maxJournalTerms } from "./journal-position.ts";

/** Names in table `meta` of what a pair stores. */
const names = { position: "pair_position", terms: "pair_terms", document: "pair_document", facts: "pair_facts" };

/** The other member's groups do not continue this journal. */
export class DivergedError extends Error {}

/**
 * Values that the journal of a pair has in table `meta`: the position of its last group, terms, document, and the member's
 * own facts. All methods that write run within transactions of the caller.
 */
export class PairMeta {
  readonly #meta: ReturnType<DatabaseSync["prepare"]>;
  readonly #put: ReturnType<DatabaseSync["prepare"]>;
  readonly #remove: ReturnType<DatabaseSync["prepare"]>;
  #position: number;
  #terms: readonly JournalTerm[];
  #committed: { readonly position: number; readonly terms: readonly JournalTerm[] };
  /** Committed groups that were not yet taken, and the one of the open transaction. */
  #groups: ShippedGroup[] = [];
  #open: JournalGroup | undefined;

  constructor(db: DatabaseSync) {
    this.#meta = db.prepare("SELECT value FROM meta WHERE name = ?");
    this.#put = db.prepare("INSERT OR REPLACE INTO meta (name, value, crc) VALUES (?, ?, ?)");
    this.#remove = db.prepare("DELETE FROM meta WHERE name = ?");
    this.#position = Number(this.#read(names.position) ?? 0);
    this.#terms = JSON.parse(this.#read(names.terms) ?? "[]") as readonly JournalTerm[];
    this.#committed = { position: this.#position, terms: this.#terms };
  }

  /** Position of the last committed group, and the terms up to it. */
  end(): { readonly position: number; readonly terms: readonly JournalTerm[] } {
    return this.#committed;
  }

  document(): string | undefined {
    return this.#read(names.document);
  }

  facts(): string | undefined {
    return this.#read(names.facts);
  }

  putDocument(text: string): void {
    this.#write(names.document, text);
  }

  putFacts(json: string): void {
    this.#write(names.facts, json);
  }

  removeFacts(): void {
    this.#remove.run(names.facts);
  }

  /** Begins a term with the group of the open transaction. `before`: counters before that group. */
  beginTerm({ term, member }: WriteOf<"term">, before: JournalCounters): void {
    // The group gets its position when the transaction ends.
    this.#terms = [...this.#terms, { term, member, from: this.#position + 1, before }].slice(-maxJournalTerms);
    this.#write(names.terms, JSON.stringify(this.#terms));
  }

  /** Gives the operations of the open transaction a position, if the other member applies any of them. */
  count(ops: readonly WriteOperation[], counters: JournalCounters): void {
    const shared = ops.filter(isShared);
    if (shared.length === 0) return;
    this.moveTo(this.#position + 1);
    this.#open = { position: this.#position, term: this.#term(), ops: shared, counters };
  }

  /** Stores the position of a group that the other member counted. */
  moveTo(position: number): void {
    this.#position = position;
    this.#write(names.position, String(position));
  }

  /** Returns a sentence when the group that was applied is of another term, or has led to other counters. */
  mismatch({ position, term, counters }: JournalGroup, own: JournalCounters): string | undefined {
    if (term !== this.#term()) return `group ${position} is of term ${term}, and this journal in term ${this.#term()}`;
    const name = (["command", "history", "audit"] as const).find((each) => counters[each] !== own[each]);
    return (
      name && `after group ${position} its last ${name} is ${own[name]}, and the active member's ${counters[name]}`
    );
  }

  get position(): number {
    return this.#position;
  }

  committed(): void {
    this.#committed = { position: this.#position, terms: this.#terms };
    if (this.#open !== undefined) this.#groups.push({ position: this.#open.position, line: encodeGroup(this.#open) });
    this.#open = undefined;
  }

  rolledBack(): void {
    this.#position = this.#committed.position;
    this.#terms = this.#committed.terms;
    this.#open = undefined;
  }

  /** Removes and returns the groups that were committed since the last call. */
  takeGroups(): readonly ShippedGroup[] {
    const groups = this.#groups;
    this.#groups = [];
    return groups;
  }

  #term(): number {
    return this.#terms.at(-1)?.term ?? 0;
  }

  #read(name: string): string | undefined {
    const value = this.#meta.get(name)?.["value"];
    return value === undefined ? undefined : String(value);
  }

  #write(name: string, value: string): void {
    this.#put.run(name, value, rowCrc(value, name));
  }
}
