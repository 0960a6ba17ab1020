import { Code, type ConnectError } from "@connectrpc/connect";
import type { StatusRow } from "@realmwatch/proto/svc/v1/query_pb";
import type { StatusItem } from "../status/status-item.ts";
import type { RealmOutcome } from "./bulk-client.ts";
import { expectedWithinMs, giveUpAfterMs } from "./pending-command.ts";

/**
 * True when an object has the effect of the command. `row` is undefined for an object that no longer matches the rows
 * that are polled; `downtimeIds` is empty before the realm has answered.
 */
export type EffectCheck = (row: StatusRow | undefined, item: StatusItem, downtimeIds: readonly string[]) => boolean;

/** Rows that can show the effect: those of problems, those with downtimes, or all. */
export type EffectRows = "problems" | "with_downtimes" | "all";

/** Answer of one realm; `waiting` until the call has ended. */
type BulkAnswer =
  | { readonly kind: "waiting" }
  | { readonly kind: "accepted"; readonly downtimeIds: readonly string[] }
  | { readonly kind: "failed"; readonly error: ConnectError };

/** Part of a bulk command in one realm. `visible`: ids of the objects whose row had the effect. */
export type RealmRun = {
  readonly realm: string;
  readonly items: readonly StatusItem[];
  readonly answer: BulkAnswer;
  readonly visible: ReadonlySet<string>;
  readonly hasEffect: EffectCheck;
};

/** A bulk command from its start until its effect is visible, with one entry for each realm. */
export type BulkRun = {
  readonly id: number;
  readonly label: string;
  /** Start of the present attempt, Unix ms. */
  readonly startedAtMs: number;
  /** Arrival of the last answer, Unix ms; undefined while one is awaited. */
  readonly settledAtMs: number | undefined;
  readonly realms: readonly RealmRun[];
  readonly effectRows: EffectRows;
  /** Values of `changedSince` for all rows that changed since the start, and for the next poll; empty for all rows. */
  readonly startRevision: string;
  readonly revision: string;
  /** True while the dialog of the command is open, which then has the progress itself. */
  readonly inDialog: boolean;
  /** Sends the command again to the realms that failed. */
  readonly retry: () => void;
};

/** Numbers of objects of a run. */
type BulkCounts = {
  readonly total: number;
  readonly accepted: number;
  readonly failed: number;
  /** Part of `failed` whose realm gave no answer, so that it may have applied the command. */
  readonly unknown: number;
  /** Objects whose row had the effect, in all realms and in those that accepted the command. */
  readonly visible: number;
  readonly visibleAccepted: number;
};

/** Runs with one of them replaced; unchanged when it was closed. */
export const withRun = (runs: readonly BulkRun[], id: number, change: (run: BulkRun) => BulkRun): readonly BulkRun[] =>
  runs.map((run) => (run.id === id ? change(run) : run));

const waiting: BulkAnswer = { kind: "waiting" };

/** Realms of a new run, by name: every one is waited for. */
export const waitingRealms = (
  realms: ReadonlyMap<string, readonly StatusItem[]>,
  hasEffect: EffectCheck,
): readonly RealmRun[] =>
  [...realms]
    .map(([realm, items]) => ({ realm, items, answer: waiting, visible: new Set<string>(), hasEffect }))
    .sort((a, b) => a.realm.localeCompare(b.realm, "en", { numeric: true }));

/** The run with the named realms waited for again. */
export function withAttempt(
  run: BulkRun,
  { realms, hasEffect, atMs }: { realms: readonly string[]; hasEffect: EffectCheck; atMs: number },
): BulkRun {
  return {
    ...run,
    startedAtMs: atMs,
    settledAtMs: undefined,
    realms: run.realms.map((one) => (realms.includes(one.realm) ? { ...one, answer: waiting, hasEffect } : one)),
  };
}

/**
 * The run with the answers of realms. A call answers for all of its realms at the same time. The next poll has the rows
 * since the start again, because the answers say more about the effect.
 */
export function withOutcomes(run: BulkRun, outcomes: readonly RealmOutcome[], atMs: number): BulkRun {
  const byRealm = new Map(outcomes.map((outcome) => [outcome.realm, outcome]));
  const realms = run.realms.map((one): RealmRun => {
    const outcome = byRealm.get(one.realm);
    if (outcome === undefined) return one;
    const { error, downtimeIds } = outcome;
    return withEvidence({
      ...one,
      answer: error === undefined ? { kind: "accepted", downtimeIds } : { kind: "failed", error },
    });
  });
  return { ...run, realms, settledAtMs: atMs, revision: run.startRevision };
}

/** The run with what polled rows show, by the id of their object. An effect that was visible once stays counted. */
export function withRows(run: BulkRun, rows: ReadonlyMap<string, StatusRow | undefined>): BulkRun {
  const realms = run.realms.map((one) => {
    const ids = one.answer.kind === "accepted" ? one.answer.downtimeIds : [];
    const found = one.items.filter(
      (item) => rows.has(item.id) && !one.visible.has(item.id) && one.hasEffect(rows.get(item.id), item, ids),
    );
    if (found.length === 0) return one;
    return withEvidence({ ...one, visible: new Set([...one.visible, ...found.map(({ id }) => id)]) });
  });
  return realms.some((one, at) => one !== run.realms[at]) ? { ...run, realms } : run;
}

/** A realm that gave no answer has accepted the command when all of its rows have the effect. */
const withEvidence = (run: RealmRun): RealmRun =>
  run.answer.kind === "failed" && run.visible.size >= run.items.length
    ? { ...run, answer: { kind: "accepted", downtimeIds: [] } }
    : run;

export function countsOf({ realms }: Pick<BulkRun, "realms">): BulkCounts {
  let [total, accepted, failed, unknown, visible, visibleAccepted] = [0, 0, 0, 0, 0, 0];
  for (const { items, answer, visible: own } of realms) {
    total += items.length;
    visible += own.size;
    if (answer.kind === "failed") failed += items.length;
    if (answer.kind === "failed" && answer.error.code === Code.DeadlineExceeded) unknown += items.length;
    if (answer.kind !== "accepted") continue;
    accepted += items.length;
    visibleAccepted += own.size;
  }
  return { total, accepted, failed, unknown, visible, visibleAccepted };
}

/** Names of the realms whose answer is awaited and whose rows do not have the whole effect. */
export const awaitedRealms = ({ realms }: BulkRun): readonly string[] =>
  realms
    .filter(({ answer, items, visible }) => answer.kind === "waiting" && visible.size < items.length)
    .map(({ realm }) => realm);

/** True when every realm has accepted the command and every effect is visible. */
export const isComplete = ({ realms }: BulkRun): boolean =>
  realms.every(({ answer, items, visible }) => answer.kind === "accepted" && visible.size >= items.length);

/** True while the rows may still change what the run says. */
export function isFollowed(run: BulkRun, nowMs: number): boolean {
  const { settledAtMs, realms } = run;
  if (realms.every(({ items, visible }) => visible.size >= items.length)) return false;
  return settledAtMs === undefined || nowMs - settledAtMs < giveUpAfterMs;
}

/** True when an accepted effect should be visible by now. */
export const isVisibilityLate = ({ settledAtMs }: BulkRun, nowMs: number): boolean =>
  settledAtMs !== undefined && nowMs - settledAtMs > expectedWithinMs;
