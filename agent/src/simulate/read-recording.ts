import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import type { RecordedPast } from "@realmwatch/shared/read-model/past/past-records";
import type { ObjectState } from "../engine/state/object-state.ts";
import { historyRecordOf } from "../journal/history/history-page.ts";
import { historyRowColumns, readHistoryRow } from "../journal/history/history-reader.ts";
import { gatherRecordedPast, type PastRecordSource } from "../journal/history/gather-past.ts";
import { answerPastRequest, openPastRecordReader, type PastRecordReader } from "../journal/history/past-record-reader.ts";
import { openJournalForReading } from "../journal/schema/journal-schema.ts";
import { journalFile } from "../journal/schema/journal-files.ts";
import { parseStoredObject } from "../realm/durability/stored-object.ts";
import { newProgramState, type ProgramState } from "../realm/state/program-state.ts";
import { PastNotifications } from "./past-notifications.ts";
import { pastState } from "./past-state.ts";
import { revertProgramChange } from "./program-change.ts";
import { EventReader } from "./read-events.ts";
import type { Recording } from "./recording.ts";

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
    return fail(`cannot read the journal ${path}: ${describeSqlError(error)}`);
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
    kept.set(String(ref), parseStoredObject(String(json), 0).state);
  const json = metaOf(db, "program");
  const program = { ...newProgramState(0), ...(json === undefined ? {} : (JSON.parse(json) as ProgramState)) };
  return { db, realm: metaOf(db, "realm") ?? "", kept, program };
}

export type RecordingOptions = {
  readonly sinceMs: number;
  readonly nowMs: number;
  /** The documents that know the objects, the one that was running first. */
  readonly plans: readonly RealmPlan[];
};

/** Reads what happened since an instant, and what held then. */
export async function readRecording(view: JournalView, order: RecordingOptions): Promise<Result<Recording, string>> {
  const { db, kept } = view;
  const oldest = db.prepare("SELECT at_ms FROM history INDEXED BY history_by_time ORDER BY at_ms LIMIT 1").get();
  if (oldest === undefined) return fail("the journal holds no history yet");
  const oldestMs = Number(oldest["at_ms"]);
  const fromMs = Math.max(order.sinceMs, oldestMs - 1);
  const reader = new EventReader();
  let lastAtMs = fromMs;
  for (const row of db
    .prepare(`SELECT ${historyRowColumns} FROM history WHERE at_ms > ? ORDER BY seq`)
    .iterate(fromMs)) {
    const record = historyRecordOf(readHistoryRow(row));
    reader.take(record);
    if (record.atMs > lastAtMs) lastAtMs = record.atMs;
  }
  const { events, sent, configurations, gaps } = reader;
  const plans = plansOf(order.plans, kept);
  const past = await gatherRecordedPast({ atMs: fromMs, realm: "", refs: new Set(plans.keys()) }, "", {
    request: askOf(openPastRecordReader(db)),
    historyRecordOf,
  });
  if (!past.ok) return fail(formatRefusal(past.error));
  const reached = order.sinceMs >= oldestMs;
  return ok({
    ...{ realm: view.realm, fromMs, events, sent },
    // While the agent was away nothing was told: what it was last seen to do ends the span.
    toMs: Math.max(fromMs, Math.min(order.nowMs, Math.max(lastAtMs, view.program.aliveAtMs))),
    states: statesAt(fromMs, { view, plans, past: past.value, policies: order.plans[0]?.policies }),
    program: reader.programChanges.reduceRight(revertProgramChange, view.program),
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
  readonly past: RecordedPast;
  readonly policies: RealmPlan["policies"] | undefined;
};

function statesAt(atMs: number, { view: { db, kept }, plans, past, policies }: StatesParts): Map<string, ObjectState> {
  const known = toldUntil(db, atMs);
  const reached = past.reachesBack("");
  const states = new Map<string, ObjectState>();
  for (const [ref, now] of kept) {
    const plan = plans.get(ref);
    if (plan === undefined) continue;
    const notificationState = known.of(ref, policies?.get(plan.policy));
    states.set(ref, pastState({ plan, now, past: past.of("", ref), notificationState, atMs, reached }));
  }
  return states;
}

const tellingTypes = "('notification', 'notification_suppressed')";

function toldUntil(db: DatabaseSync, atMs: number): PastNotifications {
  const known = new PastNotifications();
  const sql = `SELECT ${historyRowColumns} FROM history WHERE type IN ${tellingTypes} AND at_ms <= ? ORDER BY seq`;
  for (const row of db.prepare(sql).iterate(atMs)) known.take(historyRecordOf(readHistoryRow(row)));
  return known;
}

/** `history-past` asks a thread; here the records are at hand. */
const askOf =
  (records: RecordedPast): PastRecordSource["request"] =>
  async (ask) =>
    ok(answerPastRequest(records, ask) as never);
