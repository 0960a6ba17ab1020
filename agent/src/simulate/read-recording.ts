import { existsSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseSync } from "node:sqlite";
import type { CommandEffect } from "@realmwatch/shared/commands/commands";
import type { ObjectPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import { noAuthor } from "@realmwatch/shared/model/author";
import { formatRefusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { describeSqlError } from "@realmwatch/shared/platform/sqlite/sqlite-errors";
import type { RecordedPast } from "@realmwatch/shared/read-model/past/past-records";
import type { ObjectState } from "../engine/state/object-state.ts";
import { gatherRecordedPast } from "../journal/history/gather-past.ts";
import { historyRecordOf, historyRowColumns, readHistoryRow } from "../journal/history/history-reader.ts";
import { openPastRecordReader } from "../journal/history/past-record-reader.ts";
import { journalFile } from "../journal/schema/journal-files.ts";
import { openJournalForReading } from "../journal/schema/journal-schema.ts";
import { parseStoredObject } from "../realm/durability/stored-object.ts";
import { withMute } from "../realm/state/contact-mutes.ts";
import { newProgramState, type ProgramState } from "../realm/state/program-state.ts";
import { PastNotifications } from "./past-notifications.ts";
import { pastState } from "./past-state.ts";
import { EventReader } from "./read-events.ts";
import type { Recording } from "./recording.ts";

/** A consistent view of an open journal; its agent may be running. */
type JournalView = {
  readonly db: DatabaseSync;
  readonly realm: string;
  /** Stored states by object reference. */
  readonly states: ReadonlyMap<string, ObjectState>;
  readonly program: ProgramState;
};

/**
 * Opens the journal of a data directory, calls `read`, and closes the journal.
 *
 * @returns the result of `read`, or a sentence that says why the journal cannot be read
 */
export const withJournal = <T>(
  dataDir: string,
  read: (view: JournalView) => Promise<Result<T, string>> | Result<T, string>,
): Promise<Result<T, string>> => withDatabase(dataDir, (db) => read(viewOf(db)));

/** Name of the realm that the journal of a data directory belongs to, or the reason why it cannot be read. */
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
    // One transaction, because a running agent may write at the same time.
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
  const states = new Map<string, ObjectState>();
  for (const { ref, json } of db.prepare("SELECT ref, json FROM state").iterate())
    states.set(String(ref), parseStoredObject(String(json), 0).state);
  const json = metaOf(db, "program");
  const program = { ...newProgramState(0), ...(json === undefined ? {} : (JSON.parse(json) as ProgramState)) };
  return { db, realm: metaOf(db, "realm") ?? "", states, program };
}

type RecordingOptions = {
  /** Start of the wanted span, Unix ms. */
  readonly sinceMs: number;
  readonly nowMs: number;
  /** Plans that define the objects; the one that was in force comes first. */
  readonly plans: readonly RealmPlan[];
};

/** Program state before an effect of a command. Author, reason and end of a mute that it ended are not known. */
function revertEffect(program: ProgramState, effect: CommandEffect): ProgramState {
  if (effect.kind === "program")
    return { ...program, toggles: { ...program.toggles, [effect.toggle]: !effect.enabled } };
  if (effect.kind !== "contact") return program;
  const { contact, mute } = effect;
  const ended = { contact, ...noAuthor, comment: "", atMs: 0, untilMs: undefined };
  return withMute(program, contact, mute === undefined ? ended : undefined);
}

/** Reads the events since `sinceMs`, or since the start of history, and the state of all objects at that time. */
export async function readRecording(view: JournalView, options: RecordingOptions): Promise<Result<Recording, string>> {
  const { db } = view;
  const oldest = db.prepare("SELECT at_ms FROM history INDEXED BY history_by_time ORDER BY at_ms LIMIT 1").get();
  if (oldest === undefined) return fail("the journal holds no history yet");
  const oldestMs = Number(oldest["at_ms"]);
  const fromMs = Math.max(options.sinceMs, oldestMs - 1);
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
  const plans = plansOf(options.plans, view.states);
  const pastReader = openPastRecordReader(db);
  const past = await gatherRecordedPast({ atMs: fromMs, realm: "", refs: new Set(plans.keys()) }, "", {
    // An agent sends these calls to its reader thread.
    read: async (kind, ...args) => ok(Reflect.apply(pastReader[kind], undefined, args)),
    recordOf: historyRecordOf,
  });
  if (!past.ok) return fail(formatRefusal(past.error));
  const reached = options.sinceMs >= oldestMs;
  return ok({
    ...{ realm: view.realm, fromMs, events, sent },
    // A stopped agent sends no notifications, so the span ends with the last sign of it.
    toMs: Math.max(fromMs, Math.min(options.nowMs, Math.max(lastAtMs, view.program.aliveAtMs))),
    states: statesAt(fromMs, { view, plans, past: past.value, policies: options.plans[0]?.policies, oldestMs }),
    program: reader.realmEffects.reduceRight(revertEffect, view.program),
    notes: { configurations, gaps, reached },
  });
}

function plansOf(plans: readonly RealmPlan[], states: ReadonlyMap<string, ObjectState>): Map<string, ObjectPlan> {
  const known = new Map<string, ObjectPlan>();
  for (const { objects } of plans.toReversed())
    for (const [ref, plan] of objects) if (states.has(ref)) known.set(ref, plan);
  return known;
}

type StatesInput = {
  readonly view: JournalView;
  readonly plans: ReadonlyMap<string, ObjectPlan>;
  readonly past: RecordedPast;
  readonly policies: RealmPlan["policies"] | undefined;
  /** Time of the oldest history record, Unix ms. */
  readonly oldestMs: number;
};

function statesAt(atMs: number, { view, plans, past, policies, oldestMs }: StatesInput): Map<string, ObjectState> {
  const notifications = notificationsUntil(view.db, atMs);
  const reached = past.reachesBack("");
  const states = new Map<string, ObjectState>();
  for (const [ref, now] of view.states) {
    const plan = plans.get(ref);
    if (plan === undefined) continue;
    const notificationState = notifications.of(ref, { policy: policies?.get(plan.policy), atMs });
    const input = { plan, now, past: past.of("", ref), notificationState, historyFromMs: oldestMs };
    states.set(ref, pastState({ ...input, atMs, reached }));
  }
  return states;
}

function notificationsUntil(db: DatabaseSync, atMs: number): PastNotifications {
  const notifications = new PastNotifications();
  const types = "('notification_queued', 'notification_suppressed')";
  const sql = `SELECT ${historyRowColumns} FROM history WHERE type IN ${types} AND at_ms <= ? ORDER BY seq`;
  for (const row of db.prepare(sql).iterate(atMs)) notifications.take(historyRecordOf(readHistoryRow(row)));
  return notifications;
}
