import type { AcceptedCommand } from "@realmwatch/shared/commands/commands";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { DropReason } from "../engine/transition.ts";
import { recoverState, type StoredState } from "./durability/recover-state.ts";
import type { LoopJournal } from "./durability/state-writer.ts";
import { RealmLoop } from "./loop/realm-loop.ts";
import type { HandlerCall } from "./outputs/handler-call.ts";
import type { PerfdataSample } from "./outputs/perfdata-sample.ts";
import { realmCatalog } from "./outputs/realm-catalog.ts";
import type { RowUpdate } from "./outputs/row-change-builder.ts";
import { type PlanSwapResult, swapPlan } from "./reload/swap-plan.ts";
import { checkStarter, type RunCheck } from "./schedule/check-starter.ts";
import { type NextCheck, scheduledPlanOf } from "./schedule/check-times.ts";
import { Scheduler } from "./schedule/scheduler.ts";
import type { RealmReader } from "./state/realm-reader.ts";
import { RealmState } from "./state/realm-state.ts";

export type RealmOptions = {
  readonly name: string;
  readonly plan: RealmPlan;
  readonly clock: Clock;
  readonly journal: LoopJournal;
  readonly epoch: number;
  readonly stored: StoredState & {
    /** Accepted commands whose effects are not in the stored state, in their order. */
    readonly commands: readonly AcceptedCommand[];
    /** Sequence number of the last accepted command; 0 for none. */
    readonly lastCommandSeq: number;
    /** Notifications whose delivery has not ended. */
    readonly notifications?: readonly Notification[];
  };
  readonly run: RunCheck;
  readonly zones: ReadonlySet<string>;
  /** Runs the checks of all other zones. */
  readonly runElsewhere?: RunCheck | undefined;
  readonly source: string;
  readonly maxConcurrentChecks: number;
  /** Receivers of the realm's output; see `RealmLoopOptions`. */
  readonly listeners: {
    rowsChanged(changes: readonly RowUpdate[]): void;
    /** Publishes the catalog after a change of a toggle or of the configuration. */
    catalogChanged(catalog: Catalog): void;
    historyAdvanced(lastSeq: number): void;
    notify(notifications: readonly Notification[]): void;
    handle(calls: readonly HandlerCall[]): void;
    perfdataReceived?(samples: readonly PerfdataSample[], commandSeq: number): void;
    takenCommandSeq?(): number;
    journalFailed(why: string): void;
    journalHealed(): void;
    clockJumped?(byMs: number): void;
    resultDropped(why: DropReason): void;
    commandApplied?(latencyMs: number): void;
    checkEnded(
      type: string,
      outcome: Outcome,
      timing: { readonly latencyMs: number; readonly executionMs: number },
    ): void;
  };
};

export type OpenRealm = {
  readonly realm: RealmReader;
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
function deferOutput(listeners: RealmOptions["listeners"]) {
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

/** Opens a realm from its plan and the stored state. Resolves when all accepted commands are applied. */
export async function openRealm(options: RealmOptions): Promise<OpenRealm> {
  const { clock, plan, stored } = options;
  const { listeners, release } = deferOutput(options.listeners);
  const recovery = recoverState(stored, plan, clock.now());
  const realm = new RealmState(options.name, plan, recovery.program, stored.notifications);
  realm.addObjects(recovery.states, clock.now());
  let stopped = false;
  const start = checkStarter({
    ...options,
    realm,
    // A check that is aborted by the stop is no evidence about its target.
    loop: () => (stopped ? { submitResult() {} } : loop),
    ended: listeners.checkEnded,
    finished: (ref) => scheduler.finished(ref),
  });
  const scheduler: Scheduler = new Scheduler({
    clock,
    calendar: () => realm.calendar(),
    maxConcurrent: options.maxConcurrentChecks,
    queueNameOf: ({ about }) => (options.zones.has(about.zone) ? ownQueue : about.zone),
    isActive: (ref) =>
      realm.program.toggles.activeChecks && (realm.records.get(ref)?.state.toggles.activeChecks ?? false),
    start,
    postponed: (ref, nextCheckAtMs) => loop.postponed(ref, nextCheckAtMs),
  });
  const loop: RealmLoop = new RealmLoop({
    ...options,
    ...listeners,
    realm,
    scheduler,
    appliedCommandSeq: stored.commands[0] === undefined ? stored.lastCommandSeq : stored.commands[0].seq - 1,
    programChanged: () => listeners.catalogChanged(realmCatalog(realm)),
  });
  await loop.applyRecovery(recovery);
  for (const command of stored.commands) loop.replayCommand(command);
  await loop.settled();

  return {
    realm,
    loop,
    scheduler,
    start() {
      release();
      loop.start();
      for (const { plan: object, state } of realm.records.values()) {
        const scheduled = scheduledPlanOf(object);
        if (scheduled === undefined) continue;
        const { nextCheckAtMs, missedTurnAtMs } = scheduler.add(scheduled, storedNextCheck(state));
        // An unchanged due time need not be written again.
        if (nextCheckAtMs !== state.nextCheckAtMs) loop.postponed(object.ref, nextCheckAtMs, missedTurnAtMs);
        if (state.checkAskedAtMs !== undefined) scheduler.checkNow(object.ref);
      }
    },
    swap: (next) => loop.swapPlan(() => swapPlan(next, { realm, scheduler, clock })),
    async stop(graceMs) {
      scheduler.stop();
      const startedMs = clock.monotonic();
      const mustWait = (): boolean => {
        const waitedMs = clock.monotonic() - startedMs;
        if (waitedMs < Math.min(graceMs, otherZonesGraceMs)) return scheduler.runningCount > 0;
        return waitedMs < graceMs && scheduler.runningIn(ownQueue) > 0;
      };
      while (mustWait()) await new Promise<void>((resolve) => clock.after(stopPollMs, resolve));
      stopped = true;
      await loop.stop();
    },
  };
}
