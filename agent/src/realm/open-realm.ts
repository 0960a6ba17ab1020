import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { HandlerCall } from "../handlers/handler-queue.ts";
import { type Recovery, recoverState, type StoredState } from "./durability/recover-state.ts";
import type { LoopJournal } from "./durability/state-writer.ts";
import { RealmInputs } from "./loop/realm-inputs.ts";
import { type LoopReceivers, RealmLoop } from "./loop/realm-loop.ts";
import { realmCatalog } from "./outputs/realm-catalog.ts";
import { RowChangeBuilder } from "./outputs/row-change-builder.ts";
import { type PlanSwapResult, swapPlan } from "./reload/swap-plan.ts";
import { type CheckStarterOptions, checkStarter } from "./schedule/check-starter.ts";
import { type NextCheck, scheduledPlanOf } from "./schedule/check-times.ts";
import { Scheduler } from "./schedule/scheduler.ts";
import type { RealmReader } from "./state/realm-reader.ts";
import { RealmState } from "./state/realm-state.ts";

/** Everything from which the state of a realm is recovered. */
export type RealmStart = {
  readonly name: string;
  readonly plan: RealmPlan;
  readonly clock: Clock;
  /** Epoch of this start, above 0; part of every row. */
  readonly epoch: number;
  /** Time until which another agent certainly judged, Unix ms; absent without a pair, or when it is unknown. */
  readonly judgedUntilMs?: number | undefined;
  readonly stored: StoredState & {
    /** Accepted commands whose effects are not in the stored state, in their order. */
    readonly commands: readonly AcceptedCommand[];
    /** Sequence number of the last accepted command; 0 for none. */
    readonly lastCommandSeq: number;
    /** Notifications whose delivery has not ended. */
    readonly notifications?: readonly Notification[];
  };
};

/** Recovered realm that does not run yet. Its outputs are built from it, and are then passed to `open`. */
export type RecoveredRealm = {
  readonly realm: RealmReader;
  readonly rows: RowChangeBuilder;
  /** Takes what outputs and checks report to the realm. */
  readonly inputs: RealmInputs;
  /** Opens the realm. Resolves when all accepted commands are applied. */
  open(options: RealmOptions): Promise<OpenRealm>;
};

export type RealmOptions = Pick<CheckStarterOptions, "run" | "zones" | "runElsewhere" | "source"> & {
  readonly journal: LoopJournal;
  readonly maxConcurrentChecks: number;
  readonly listeners: RealmListeners;
};

/** Receivers of a realm's output. */
export type RealmListeners = Omit<LoopReceivers, "programChanged"> & {
  /** Publishes the catalog after a change of a toggle or of the configuration. */
  catalogChanged(catalog: Catalog): void;
  readonly checkEnded: CheckStarterOptions["ended"];
};

export type OpenRealm = Omit<RecoveredRealm, "open"> & {
  readonly loop: RealmLoop;
  readonly scheduler: Scheduler;
  /** Starts checks and notifications. Before that the realm's state can be read only. */
  start(): void;
  /** Makes another plan the active one. Unchanged objects keep their state and schedule. */
  swap(plan: RealmPlan): Promise<PlanSwapResult>;
  /** Stops the scheduler, waits up to `graceMs` for running checks, and writes all state. */
  stop(graceMs: number): Promise<void>;
};

/** Interval at which a stop looks for running checks, ms. */
const stopPollMs = 20;
/** Maximum time that a stop waits for checks in other zones, ms. They are due again after the next start. */
const otherZonesGraceMs = 2_000;
/** Queue of the checks that run here. Differs from all zones, whose names are never empty. */
const ownQueue = "";

/** Holds back notifications and handler calls of the recovery until everything that delivers them is running. */
function deferOutput(listeners: RealmListeners) {
  const notifications: Notification[] = [];
  const calls: HandlerCall[] = [];
  let released = false;
  return {
    listeners: {
      ...listeners,
      notify: (some: readonly Notification[]) => (released ? listeners.notify(some) : void notifications.push(...some)),
      handle: (some: readonly HandlerCall[]) => (released ? listeners.handle(some) : void calls.push(...some)),
    },
    release() {
      released = true;
      if (notifications.length > 0) listeners.notify(notifications);
      if (calls.length > 0) listeners.handle(calls);
    },
  };
}

const storedNextCheck = ({ nextCheckAtMs, missedTurnAtMs }: ObjectState): NextCheck | undefined =>
  nextCheckAtMs === undefined ? undefined : { nextCheckAtMs, missedTurnAtMs };

/** Recovers a realm from its plan and the stored state. */
export function recoverRealm(start: RealmStart): RecoveredRealm {
  const { name, plan, clock, epoch, stored, judgedUntilMs } = start;
  const recovery = recoverState(stored, plan, { nowMs: clock.now(), judgedUntilMs });
  const realm = new RealmState(name, plan, recovery.program, stored.notifications);
  realm.addObjects(recovery.states, clock.now());
  // The start outlives the recovery: states would stay in memory that objects no longer have.
  stored.states.clear();
  recovery.states.clear();
  const rows = new RowChangeBuilder({ realm, clock, epoch });
  const inputs = new RealmInputs(clock, realm.annotations);
  return { realm, rows, inputs, open: (options) => openRealm({ start, recovery, realm, rows, inputs }, options) };
}

type RealmParts = {
  readonly start: RealmStart;
  readonly recovery: Recovery;
  readonly realm: RealmState;
  readonly rows: RowChangeBuilder;
  readonly inputs: RealmInputs;
};

async function openRealm(parts: RealmParts, options: RealmOptions): Promise<OpenRealm> {
  const { start, recovery, realm, rows, inputs } = parts;
  const { clock, stored } = start;
  const { listeners, release } = deferOutput(options.listeners);
  const stopping = new AbortController();
  const scheduler = openScheduler(parts, options, stopping.signal);
  const loop = new RealmLoop({
    ...listeners,
    clock,
    realm,
    rows,
    inputs,
    scheduler,
    journal: options.journal,
    appliedCommandSeq: stored.commands[0] === undefined ? stored.lastCommandSeq : stored.commands[0].seq - 1,
    programChanged: () => listeners.catalogChanged(realmCatalog(realm)),
  });
  await loop.applyRecovery(recovery);
  for (const command of stored.commands) inputs.replayCommand(command);
  await loop.settled();
  return {
    realm,
    rows,
    inputs,
    loop,
    scheduler,
    start() {
      release();
      loop.start();
      scheduleChecks({ realm, scheduler, inputs });
    },
    swap: (next) => inputs.swapPlan(() => swapPlan(next, { realm, scheduler, clock })),
    async stop(graceMs) {
      scheduler.stop();
      await checksEnded(scheduler, clock, graceMs);
      stopping.abort();
      await loop.stop();
    },
  };
}

/** @param stopping aborted once the results of checks count no more */
function openScheduler(
  { start: { clock }, realm, inputs }: RealmParts,
  options: RealmOptions,
  stopping: AbortSignal,
): Scheduler {
  return new Scheduler({
    clock,
    calendar: () => realm.calendar(),
    maxConcurrent: options.maxConcurrentChecks,
    queueNameOf: ({ about }) => (options.zones.has(about.zone) ? ownQueue : about.zone),
    isActive: (ref) =>
      realm.program.toggles.activeChecks && (realm.records.get(ref)?.state.toggles.activeChecks ?? false),
    start: checkStarter({
      ...options,
      clock,
      realm,
      submitResult(ref, result) {
        // The stop aborts running checks: their results say nothing about the target.
        if (!stopping.aborted) inputs.submitResult(ref, result);
      },
      ended: options.listeners.checkEnded,
    }),
    postponed: (ref, nextCheckAtMs) => inputs.postponed(ref, nextCheckAtMs),
  });
}

/** Schedules the checks of all objects, and those that were requested before the restart at once. */
function scheduleChecks({ realm, scheduler, inputs }: Pick<OpenRealm, "realm" | "scheduler" | "inputs">): void {
  for (const { plan, state } of realm.records.values()) {
    const scheduled = scheduledPlanOf(plan);
    if (scheduled === undefined) continue;
    const { nextCheckAtMs, missedTurnAtMs } = scheduler.add(scheduled, storedNextCheck(state));
    // An unchanged due time need not be written again.
    if (nextCheckAtMs !== state.nextCheckAtMs) inputs.postponed(plan.ref, nextCheckAtMs, missedTurnAtMs);
    if (state.checkAskedAtMs !== undefined) scheduler.checkNow(plan.ref);
  }
}

/** Waits up to `graceMs` for running checks, and less for those in other zones. */
async function checksEnded(scheduler: Scheduler, clock: Clock, graceMs: number): Promise<void> {
  const startedMs = clock.monotonic();
  const mustWait = (): boolean => {
    const waitedMs = clock.monotonic() - startedMs;
    if (waitedMs < Math.min(graceMs, otherZonesGraceMs)) return scheduler.runningCount > 0;
    return waitedMs < graceMs && scheduler.runningIn(ownQueue) > 0;
  };
  while (mustWait()) await sleep(clock, stopPollMs);
}
