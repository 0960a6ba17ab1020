import type { DatabaseSync } from "node:sqlite";
import { auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { JournalPosition } from "./journal-position.ts";
import { PairRecord } from "./pair-record.ts";

/** Reads the end of a journal that is not open for writing, such as a copy. */
export function readJournalEnd(db: DatabaseSync): JournalPosition {
  const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
  const numberOf = (name: string): number => Number(meta.get(name)?.["value"] ?? 0);
  const counters = {
    command: numberOf("last_command"),
    history: numberOf("last_history"),
    audit: auditChain(db).lastSeq(),
  };
  const empty = Object.values(counters).every((seq) => seq === 0) && numberOf("epoch") === 0;
  return { ...new PairRecord(db).end(), counters, empty };
}

/** Replaces the facts in a copy, which are those of the member that it was made of. */
export function replaceFacts(db: DatabaseSync, facts: string | undefined): void {
  const record = new PairRecord(db);
  if (facts === undefined) record.removeFacts();
  else record.putFacts(facts);
}
