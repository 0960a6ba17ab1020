import type { DatabaseSync } from "node:sqlite";
import { type KeptAnswer, type KeyedCall, maxKeptAnswers } from "../command-answer.ts";
import { isRowIntact, rowCrc } from "../schema/row-crc.ts";

/** Answers to commands, by identity and key. Part of the journal's transactions. */
type AnswerStore = {
  /** Stores an answer. Deletes the oldest one of its quota when there are too many. */
  add(kept: KeptAnswer): void;
  /** Finds an answer; throws a sentence when it is damaged. */
  find(call: Pick<KeyedCall, "identity" | "key">): KeptAnswer | undefined;
  /** Deletes up to `limit` answers older than `beforeMs`; returns their number. */
  trim(beforeMs: number, limit: number): number;
  /** To be called after a transaction was rolled back: the answers are counted again. */
  rolledBack(): void;
};

export function openAnswerStore(db: DatabaseSync, mostPerQuota = maxKeptAnswers): AnswerStore {
  const sql = {
    add: db.prepare(
      "INSERT OR REPLACE INTO answer (identity, key, quota, at_ms, request, json, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",
    ),
    find: db.prepare("SELECT quota, at_ms, request, json, crc FROM answer WHERE identity = ? AND key = ?"),
    deleteOldest: db.prepare("DELETE FROM answer WHERE seq = (SELECT min(seq) FROM answer WHERE quota = ?)"),
    trim: db.prepare("DELETE FROM answer WHERE seq IN (SELECT seq FROM answer WHERE at_ms < ? ORDER BY at_ms LIMIT ?)"),
    count: db.prepare("SELECT count(*) AS n FROM answer WHERE quota = ?"),
  };
  const countNow = () => ({ results: count("results"), commands: count("commands") });
  let counts: ReturnType<typeof countNow> | undefined;

  function count(quota: KeptAnswer["quota"]): number {
    return Number(sql.count.get(quota)?.n ?? 0);
  }

  return {
    add({ identity, key, quota, atMs, requestHash, answer }) {
      const json = JSON.stringify(answer);
      counts ??= countNow();
      sql.add.run(identity, key, quota, atMs, requestHash, json, rowCrc(json, identity, key, quota, atMs, requestHash));
      counts[quota]++;
      if (counts[quota] <= mostPerQuota) return;
      sql.deleteOldest.run(quota);
      counts[quota]--;
    },
    find({ identity, key }) {
      const row = sql.find.get(identity, key);
      if (row === undefined) return undefined;
      const { quota, request, json } = row;
      const atMs = Number(row.at_ms);
      if (!isRowIntact(row.crc, String(json), identity, key, String(quota), atMs, String(request)))
        throw new Error("the stored answer of this idempotency-key is damaged");
      return {
        ...{ identity, key, atMs, requestHash: String(request), quota: quota as KeptAnswer["quota"] },
        answer: JSON.parse(String(json)) as KeptAnswer["answer"],
      };
    },
    trim(beforeMs, limit) {
      const deleted = Number(sql.trim.run(beforeMs, limit).changes);
      if (deleted > 0) counts = undefined;
      return deleted;
    },
    rolledBack() {
      counts = undefined;
    },
  };
}
