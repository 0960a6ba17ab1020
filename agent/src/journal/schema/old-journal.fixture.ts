import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { journalFile } from "./journal-files.ts";
import { rowCrc } from "./row-crc.ts";

/**
 * Turns the empty journal of a data directory into one of version 6 with a history of notifications of host `web1`, one
 * second apart, of which the last one is an hour old.
 */
export function fillVersion6(dataDir: string, records: number): void {
  const db = new DatabaseSync(join(dataDir, journalFile));
  db.exec("PRAGMA synchronous = OFF; BEGIN; DELETE FROM history");
  const insert = db.prepare("INSERT INTO history VALUES (?, ?, 'notification', 'web1', ?, ?)");
  const endMs = Math.floor(systemClock.now() / 1_000 - 3_600) * 1_000;
  for (let seq = 1; seq <= records; seq++) {
    const atMs = endMs - (records - seq) * 1_000;
    const json = JSON.stringify({
      ...{ atMs, type: "notification", key: { kind: "host", name: "web1" }, notificationKind: "PROBLEM" },
      ...{ status: "critical", contact: "ops", because: { reason: "sent", name: "" } },
    });
    insert.run(seq, atMs, json, rowCrc(json, seq, atMs, "notification", "web1"));
  }
  const checksum = rowCrc(String(records), "last_history");
  db.exec(
    `INSERT OR REPLACE INTO meta VALUES ('last_history', ${records}, ${checksum}); COMMIT; PRAGMA user_version = 6`,
  );
  db.close();
}
