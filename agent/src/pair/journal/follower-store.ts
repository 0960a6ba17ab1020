import { join } from "node:path";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { describeSqlError, sqlCodeOf } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { journalFile } from "../../journal/schema/journal-files.ts";
import type { JournalPlace } from "../../journal/schema/journal-schema.ts";
import { noteVerifiedFile, type VerifiedFile } from "../../journal/schema/verified-file.ts";
import { type CursorEntries, parseGroupLines } from "../../journal/shipping/group-shipping.ts";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import { DivergedError } from "../../journal/shipping/pair-meta.ts";
import { type JournalStore, openJournalStore } from "../../journal/write/journal-store.ts";
import type { FollowResult, PieceResult, SnapshotPiece } from "./follow-result.ts";
import { IncomingSnapshot } from "./incoming-snapshot.ts";

/** Content of a standby's journal when it is opened. */
export type FollowerOpening = {
  readonly end: JournalPosition;
  readonly facts: string | undefined;
  readonly document: string | undefined;
};

/** Result code of SQLite for a row that exists already. */
const constraintCode = 19;

/** Journal of a standby, as its writer thread sees it. Handlers do not throw. */
export class FollowerStore {
  readonly #place: JournalPlace;
  readonly #incoming: IncomingSnapshot;
  #store: JournalStore;
  /** False when the journal could not be opened after an installation, for example on a full disk. */
  #isOpen = true;
  #end: JournalPosition;
  #cursors: Map<string, number>;

  constructor(place: JournalPlace, store: JournalStore) {
    this.#place = place;
    this.#store = store;
    this.#end = store.end();
    this.#cursors = new Map(store.cursors());
    this.#incoming = new IncomingSnapshot(place);
  }

  opening(): FollowerOpening {
    return { end: this.#end, facts: this.#store.pair?.facts(), document: this.#document() };
  }

  #document(): string | undefined {
    return this.#store.pair?.document();
  }

  /** Applies joined groups with one sync; if that fails, one after the other up to the first that fails. */
  apply(lines: Uint8Array, cursors: CursorEntries): FollowResult {
    const closed = this.#reopen();
    if (closed !== undefined) return closed;
    let failure: unknown;
    let hasDocument = false;
    try {
      const groups = parseGroupLines(lines);
      hasDocument = groups.some(({ ops }) => ops.some(({ kind }) => kind === "document"));
      // Cursors alone need no sync.
      if (groups.length > 0) failure = this.#try(() => this.#store.applyGroups(groups));
      if (failure !== undefined && !isDivergence(failure))
        for (const group of groups) {
          failure = this.#try(() => this.#store.applyGroups([group]));
          if (failure !== undefined) break;
        }
    } catch (error) {
      failure = error;
    }
    this.#end = this.#store.end();
    if (failure === undefined) this.#storeCursors(cursors);
    return this.#outcome(failure, hasDocument);
  }

  /** Stores the facts of this member durably. */
  keepFacts(json: string): Result<void, string> {
    const closed = this.#reopen();
    if (closed !== undefined) return fail(closed.why);
    const [result] = this.#store.write([{ kind: "facts", json }]);
    return result?.ok === false ? result : ok(undefined);
  }

  /** Takes a piece of a snapshot. The last one installs it. */
  async takePiece(piece: SnapshotPiece): Promise<PieceResult> {
    const closed = this.#reopen();
    if (closed !== undefined) return closed;
    const taken = this.#incoming.take(piece);
    if (!taken.ok) return this.#outcome(new Error(taken.error));
    if (taken.value < piece.totalBytes) return { kind: "waiting", offset: taken.value };
    const ready = await this.#incoming.prepare(this.#end, this.#store.pair?.facts());
    if (!ready.ok) return this.#outcome(new Error(ready.error));
    return this.#install();
  }

  /** Releases the data directory. Returns the file, which need not be searched for damage when it is opened next. */
  close(): VerifiedFile | undefined {
    this.#incoming.discard();
    if (this.#isOpen) this.#store.close();
    return noteVerifiedFile(join(this.#place.dataDir, journalFile));
  }

  #install(): FollowResult {
    this.#store.close();
    this.#isOpen = false;
    const decided = this.#try(() => this.#incoming.decide());
    return this.#reopen() ?? this.#outcome(decided, true);
  }

  /** Opens the journal after it was closed for an installation, which that finishes. Returns why it cannot be opened. */
  #reopen(): Extract<FollowResult, { kind: "failed" }> | undefined {
    if (this.#isOpen) return undefined;
    const opened = openJournalStore(this.#place);
    if (!opened.ok) return { kind: "failed", end: this.#end, why: opened.error };
    this.#isOpen = true;
    this.#store = opened.value;
    this.#end = this.#store.end();
    this.#cursors = new Map(this.#store.cursors());
    return undefined;
  }

  #storeCursors(cursors: CursorEntries): void {
    const changed = cursors.filter(([name, seq]) => this.#cursors.get(name) !== seq);
    if (changed.length === 0) return;
    const results = this.#store.write(changed.map(([name, seq]) => ({ kind: "cursor", name, seq })));
    changed.forEach(([name, seq], i) => {
      if (results[i]?.ok) this.#cursors.set(name, seq);
    });
  }

  #outcome(failure: unknown, hasDocument = false): FollowResult {
    const end = this.#end;
    if (failure === undefined) return { kind: "applied", end, ...(hasDocument && { document: this.#document() }) };
    return isDivergence(failure)
      ? { kind: "diverged", end, why: errorText(failure) }
      : { kind: "failed", end, why: describeSqlError(failure, this.#place.dataDir) };
  }

  #try(run: () => void): unknown {
    try {
      run();
      return undefined;
    } catch (error) {
      return error;
    }
  }
}

const isDivergence = (error: unknown): boolean => error instanceof DivergedError || sqlCodeOf(error) === constraintCode;

/** Opens the journal of a standby; fails with a sentence. */
export function openFollowerStore(place: JournalPlace): Result<FollowerStore, string> {
  const store = openJournalStore({ ...place, pair: "standby" });
  return store.ok ? ok(new FollowerStore({ ...place, pair: "standby" }, store.value)) : fail(store.error);
}
