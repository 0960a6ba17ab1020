import type { DatabaseSync } from "node:sqlite";
import { intactJson, rowCrc } from "./schema/row-crc.ts";

/** Change of a firing alert: its data without the key as JSON; undefined when it has ended. */
export type AlertChange = { readonly key: string; readonly json: string | undefined };

/** Firing alert, as it is stored. */
export type StoredAlert = { readonly key: string; readonly json: string };

type StoredAlertSlice = {
  readonly alerts: readonly StoredAlert[];
  /** Row id after which the next slice begins; undefined for the last slice. */
  readonly nextAfterId: number | undefined;
};

/** Alerts per slice, so that one occupies the thread for some ms only. */
const alertsPerSlice = 2_000;

/** Writer of the alerts that fire. Each is a row, so that a change costs as much as the alerts that it is about. */
export function alertWriter(db: DatabaseSync): (changes: readonly AlertChange[]) => void {
  // A replaced row is the last one again: the rows have the order in which the alerts were taken.
  const put = db.prepare("INSERT OR REPLACE INTO alert (key, json, crc) VALUES (?, ?, ?)");
  const remove = db.prepare("DELETE FROM alert WHERE key = ?");
  return (changes) => {
    for (const { key, json } of changes)
      if (json === undefined) remove.run(key);
      else put.run(key, json, rowCrc(json, key));
  };
}

/** Reader of the alerts that fire, in slices in the order in which they were taken. Throws when one is damaged. */
export function alertReader(db: DatabaseSync): (afterId: number) => StoredAlertSlice {
  const select = db.prepare("SELECT id, key, json, crc FROM alert WHERE id > ? ORDER BY id LIMIT ?");
  return (afterId) => {
    const rows = select.all(afterId, alertsPerSlice);
    return {
      alerts: rows.map((row) => ({ key: String(row["key"]), json: intactJson(row, row["key"], `alert ${row["id"]}`) })),
      nextAfterId: rows.length < alertsPerSlice ? undefined : Number(rows.at(-1)?.["id"]),
    };
  };
}
