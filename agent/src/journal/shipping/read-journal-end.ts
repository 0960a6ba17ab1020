import type { DatabaseSync } from "node:sqlite";
import { auditChain } from "@realmwatch/shared/platform/audit-chain/audit-chain";
import type { JournalPosition } from "./journal-position.ts";
import { PairMeta } from "./pair-meta.ts";

/** Reads the end of a journal that is not open for writing, such as a copy. */
export function readJournalEnd(db: DatabaseSync): JournalPosition {
  const meta = db.prepare("SELECT value FROM meta WHERE name = ?");
  const numberOf = (name: string): number => Number(meta.get(name)?.["value"] ?? 0);
  const counters = {
    command: numberOf("last_command"),
    history: numberOf("last_history"),
    audit: auditChain(db).lastSeq(),
  };
  const end = new PairMeta(db).end();
  const empty = end.position === 0 && Object.values(counters).every((seq) => seq === 0) && numberOf("epoch") === 0;
  return { ...end, counters, empty };
}

/** Replaces the facts in a copy, which are those of the member that it was made of. */
export function replaceFacts(db: DatabaseSync, facts: string | undefined): void {
  const record = new PairMeta(db);
  if (facts === undefined) record.removeFacts();
  else record.putFacts(facts);
}
