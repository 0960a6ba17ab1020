import type { DatabaseSync } from "node:sqlite";
import { type KeptAnswer, type KeyedCall, maxKeptAnswers } from "../command-answer.ts";
import { isRowIntact, rowCrc } from "../schema/row-crc.ts";

const answerStatements = (db: DatabaseSync) => ({
  add: db.prepare(
    "INSERT OR REPLACE INTO answer (identity, key, quota, at_ms, request, json, crc) VALUES (?, ?, ?, ?, ?, ?, ?)",
  ),
  quotaOf: db.prepare("SELECT quota FROM answer WHERE identity = ? AND key = ?"),
  find: db.prepare("SELECT quota, at_ms, request, json, crc FROM answer WHERE identity = ? AND key = ?"),
  deleteOldest: db.prepare("DELETE FROM answer WHERE seq = (SELECT min(seq) FROM answer WHERE quota = ?)"),
  trim: db.prepare("DELETE FROM answer WHERE seq IN (SELECT seq FROM answer WHERE at_ms < ? ORDER BY at_ms LIMIT ?)"),
  count: db.prepare("SELECT count(*) AS n FROM answer WHERE quota = ?"),
});

/** Answers to commands, by identity and key. Part of the journal's transactions. */
export class AnswerStore {
  readonly #sql: ReturnType<typeof answerStatements>;
  readonly #mostPerQuota: number;
  #counts: Record<KeptAnswer["quota"], number> | undefined;

  constructor(db: DatabaseSync, mostPerQuota = maxKeptAnswers) {
    this.#sql = answerStatements(db);
    this.#mostPerQuota = mostPerQuota;
  }

  /** Stores an answer. Deletes the oldest one of its quota when there are too many. */
  add({ identity, key, quota, atMs, requestHash, answer }: KeptAnswer): void {
    const json = JSON.stringify(answer);
    this.#counts ??= { results: this.#count("results"), commands: this.#count("commands") };
    const crc = rowCrc(json, identity, key, quota, atMs, requestHash);
    const replaced = this.#sql.quotaOf.get(identity, key)?.quota as KeptAnswer["quota"] | undefined;
    if (replaced !== undefined) this.#counts[replaced]--;
    this.#sql.add.run(identity, key, quota, atMs, requestHash, json, crc);
    this.#counts[quota]++;
    if (this.#counts[quota] <= this.#mostPerQuota) return;
    this.#sql.deleteOldest.run(quota);
    this.#counts[quota]--;
  }

  /** Finds an answer; throws a sentence when it is damaged. */
  find({ identity, key }: Pick<KeyedCall, "identity" | "key">): KeptAnswer | undefined {
    const row = this.#sql.find.get(identity, key);
    if (row === undefined) return undefined;
    const { quota, request, json } = row;
    const atMs = Number(row.at_ms);
    if (!isRowIntact(row.crc, String(json), identity, key, String(quota), atMs, String(request)))
      throw new Error("the stored answer of this idempotency-key is damaged");
    return {
      identity,
      key,
      atMs,
      requestHash: String(request),
      quota: quota as KeptAnswer["quota"],
      answer: JSON.parse(String(json)) as KeptAnswer["answer"],
    };
  }

  /** Deletes up to `limit` answers older than `beforeMs`; returns their number. */
  trim(beforeMs: number, limit: number): number {
    const deleted = Number(this.#sql.trim.run(beforeMs, limit).changes);
    if (deleted > 0) this.#counts = undefined;
    return deleted;
  }

  /** To be called after a transaction was rolled back: the answers are counted again. */
  rolledBack(): void {
    this.#counts = undefined;
  }

  #count(quota: KeptAnswer["quota"]): number {
    return Number(this.#sql.count.get(quota)?.n ?? 0);
  }
}
