import { closeSync, openSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import { decideInstallation } from "../../journal/schema/install-journal.ts";
import { journalFile } from "../../journal/schema/journal-files.ts";
import { checkJournal, type JournalPlace } from "../../journal/schema/journal-schema.ts";
import { journalKind } from "../../journal/schema/journal-tables.ts";
import type { JournalPosition } from "../../journal/shipping/journal-position.ts";
import { readJournalEnd, replaceFacts } from "../../journal/shipping/read-journal-end.ts";
import { keepDivergedCopy } from "./diverged-copies.ts";
import type { SnapshotPiece } from "./follow-result.ts";
import { relationOf } from "./journal-relation.ts";

/** Name of the file that a standby writes the pieces of a snapshot to. */
const incomingFile = `${journalFile}.incoming`;

/** Snapshot that a standby is receiving. */
export class IncomingSnapshot {
  readonly #place: JournalPlace;
  readonly #path: string;
  #id = "";
  #received = 0;

  /** Removes what an earlier process has left. */
  constructor(place: JournalPlace) {
    this.#place = place;
    this.#path = join(place.dataDir, incomingFile);
    this.discard();
  }

  /** Writes a piece. Returns the offset of the next one; a piece that is not the next one is dropped. */
  take({ id, offset, bytes }: SnapshotPiece): Result<number, string> {
    if (id !== this.#id) this.discard();
    this.#id = id;
    if (offset !== this.#received) return ok(this.#received);
    try {
      const file = openSync(this.#path, offset === 0 ? "w" : "r+", 0o600);
      try {
        let at = 0;
        while (at < bytes.length) at += writeSync(file, bytes, at, bytes.length - at, offset + at);
      } finally {
        closeSync(file);
      }
    } catch (error) {
      return fail(`cannot write ${this.#path}: ${errorText(error)}`);
    }
    this.#received += bytes.length;
    return ok(this.#received);
  }

  /**
   * Checks the received journal and gives it the facts of this member. Keeps a copy of the own journal when that has
   * diverged from it.
   */
  async prepare(own: JournalPosition, facts: string | undefined): Promise<Result<void, string>> {
    const end = this.#check(facts);
    if (!end.ok) {
      this.discard();
      return fail(`the snapshot of the active member cannot be used: ${end.error}`);
    }
    const relation = relationOf(own, end.value);
    return relation.kind === "diverged" && !own.empty
      ? keepDivergedCopy(this.#place.dataDir, own, relation)
      : ok(undefined);
  }

  /** Decides that the snapshot replaces the journal. The journal must be closed. */
  decide(): void {
    decideInstallation(this.#place.dataDir, this.#path);
    this.#id = "";
    this.#received = 0;
  }

  discard(): void {
    this.#id = "";
    this.#received = 0;
    for (const suffix of ["", "-wal", "-shm", "-journal"]) rmSync(this.#path + suffix, { force: true });
  }

  #check(facts: string | undefined): Result<JournalPosition, string> {
    let db: DatabaseSync | undefined;
    try {
      db = new DatabaseSync(this.#path);
      const numberOf = (sql: string): number => Number(Object.values(db?.prepare(sql).get() ?? {})[0] ?? 0);
      if (numberOf("PRAGMA application_id") !== journalKind.applicationId) return fail("it is not a journal");
      const version = numberOf("PRAGMA user_version");
      if (version !== journalKind.version)
        return fail(
          `its schema is ${version}, and this program's ${journalKind.version}: run the same version at both`,
        );
      db.exec("PRAGMA journal_mode = DELETE");
      const refused = checkJournal(db, this.#path, this.#place.realm, false);
      if (refused !== undefined) return fail(refused);
      replaceFacts(db, facts);
      return ok(readJournalEnd(db));
    } catch (error) {
      return fail(describeSqlError(error, this.#place.dataDir));
    } finally {
      db?.close();
    }
  }
}
