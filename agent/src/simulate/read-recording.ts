import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { showRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { showSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import type { PastEvidence } from "@realmwatch/shared/read-model/past/past-records";
import type { ObjectState } from "../engine/state/object-state.ts";
import { recordOf } from "../journal/history/history-page.ts";
import { type PastReader, readPast } from "../journal/history/past-evidence.ts";
import { answerPast, type PastRecords, pastRecords } from "../journal/history/past-records.ts";
import { historyColumns, readRow } from "../journal/history/history-reader.ts";
import { journalFile } from "../journal/threads/journal-protocol.ts";
import { openJournalForReading } from "../journal/schema/journal-schema.ts";
import { readKept } from "../realm/kept-object.ts";
import { newProgram, type ProgramState } from "../realm/realm-state.ts";
import { undo } from "./program-change.ts";
import { EventReader } from "./read-events.ts";
import type { Recording } from "./recording.ts";
import { stateThen } from "./past-state.ts";
import { ToldSoFar } from "./past-notifications.ts";

/** An open journal, all of one moment, of an agent that may be running. */
export type JournalView = {
  readonly db: DatabaseSync;
  readonly realm: string;
  /** Kept states by the object's reference. */
  readonly kept: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
};

/**
 * Opens the journal of a data directory for `read`, and closes it.
 *
 * @returns what `read` answers; or why the journal cannot be read, as a sentence
 */
export const withJournal = <T>(
  dataDir: string,
  read: (view: JournalView) => Promise<Result<T, string>> | Result<T, string>,
): Promise<Result<T, string>> => withDatabase(dataDir, (db) => read(viewOf(db)));

/** The realm that the journal of a data directory belongs to; or why that cannot be read. */
export const journalRealm = (dataDir: string): Promise<Result<string, string>> =>
  withDatabase(dataDir, (db) => ok(metaOf(db, "realm") ?? ""));

async function withDatabase<T>(
  dataDir: string,
  read: (db: DatabaseSync) => Promise<Result<T, string>> | Result<T, string>,
): Promise<Result<T, string>> {
  const path = join(dataDir, journalFile);
  if (!existsSync(path)) return fail(`${dataDir} holds no journal: is it an agent's -data-dir?`);
  let db: DatabaseSync | undefined;
  try {
    db = openJournalForReading(dataDir);
    // One transaction: what an agent adds meanwhile is not seen by halves.
    db.exec("BEGIN");
    return await read(db);
  } catch (error) {
    return fail(`cannot read the journal ${path}: ${showSqlError(error)}`);
  } finally {
    db?.close();
  }
}

const metaOf = (db: DatabaseSync, name: string): string | undefined => {
  const value = db.prepare("SELECT value FROM meta WHERE name = ?").get(name)?.["value"];
  return typeof value === "string" ? value : undefined;
};

function viewOf(db: DatabaseSync): JournalView {
  const kept = new Map<string, ObjectState>();
  for (const { ref, json } of db.prepare("SELECT ref, json FROM state").iterate())
    kept.set(String(ref), readKept(String(json), 0).state);
  const json = metaOf(db, "program");
  const program = { ...newProgram(0), ...(json === undefined ? {} : (JSON.parse(json) as ProgramState)) };
  return { db, realm: metaOf(db, "realm") ?? "", kept, program };
}

export type RecordingOrder = {
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The documents that know the objects, the one that was running first. */
  readonly plans: readonly RealmPlan[];
};

/** Reads what happened since an instant, and what held then. */
export async function readRecording(view: JournalView, order: RecordingOrder): Promise<Result<Recording, string>> {
  const { db, kept } = view;
  const oldest = db.prepare("SELECT at_ms FROM history INDEXED BY history_by_time ORDER BY at_ms LIMIT 1").get();
  if (oldest === undefined) return fail("the journal holds no history yet");
  const oldestMs = Number(oldest["at_ms"]);
  const fromMs = Math.max(order.sinceMs, oldestMs - 1);
  const reader = new EventReader();
  let lastAtMs = fromMs;
  for (const row of db.prepare(`SELECT ${historyColumns} FROM history WHERE at_ms > ? ORDER BY seq`).iterate(fromMs)) {
    const record = recordOf(readRow(row));
    reader.take(record);
    if (record.atMs > lastAtMs) lastAtMs = record.atMs;
  }
  const { events, sent, configurations, gaps } = reader;
  const plans = plansOf(order.plans, kept);
  const past = await readPast({ atMs: fromMs, realm: "", refs: new Set(plans.keys()) }, "", {
    ask: askOf(pastRecords(db)),
    recordOf,
  });
  if (!past.ok) return fail(showRefusal(past.error));
  const reached = order.sinceMs >= oldestMs;
  return ok({
    ...{ realm: view.realm, fromMs, events, sent },
    // While the agent was away nothing was told: what it was last seen to do ends the span.
    toMs: Math.max(fromMs, Math.min(order.nowMs, Math.max(lastAtMs, view.program.aliveAtMs))),
    states: statesAt(fromMs, { view, plans, past: past.value, policies: order.plans[0]?.policies }),
    program: reader.programChanges.reduceRight(undo, view.program),
    notes: { configurations, gaps, reached },
  });
}

function plansOf(plans: readonly RealmPlan[], kept: ReadonlyMap<string, ObjectState>): Map<string, ObjectPlan> {
  const known = new Map<string, ObjectPlan>();
  for (const { objects } of plans.toReversed())
    for (const [ref, plan] of objects) if (kept.has(ref)) known.set(ref, plan);
  return known;
}

type StatesParts = {
  readonly view: JournalView;
  readonly plans: ReadonlyMap<string, ObjectPlan>;
  readonly past: PastEvidence;
  readonly policies: RealmPlan["policies"] | undefined;
};

function statesAt(atMs: number, { view: { db, kept }, plans, past, policies }: StatesParts): Map<string, ObjectState> {
  const known = toldUntil(db, atMs);
  const reached = past.reaches("");
  const states = new Map<string, ObjectState>();
  for (const [ref, now] of kept) {
    const plan = plans.get(ref);
    if (plan === undefined) continue;
    const telling = known.of(ref, policies?.get(plan.policy));
    states.set(ref, stateThen({ plan, now, past: past.of("", ref), telling, atMs, reached }));
  }
  return states;
}

const tellingTypes = "('notification', 'notification_suppressed')";

function toldUntil(db: DatabaseSync, atMs: number): ToldSoFar {
  const known = new ToldSoFar();
  const sql = `SELECT ${historyColumns} FROM history WHERE type IN ${tellingTypes} AND at_ms <= ? ORDER BY seq`;
  for (const row of db.prepare(sql).iterate(atMs)) known.take(recordOf(readRow(row)));
  return known;
}

/** `history-past` asks a thread; here the records are at hand. */
const askOf =
  (records: PastRecords): PastReader["ask"] =>
  async (ask) =>
    ok(answerPast(records, ask) as never);
