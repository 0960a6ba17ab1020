import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { DropReason } from "../engine/transition.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { HandlerCall } from "./outputs/handler-call.ts";
import type { LoopJournal } from "./durability/state-writer.ts";
import { realmCatalog } from "./outputs/realm-catalog.ts";
import { RealmLoop } from "./loop/realm-loop.ts";
import type { RealmReader } from "./state/realm-reader.ts";
import { RealmState } from "./state/realm-state.ts";
import { type StoredState, recoverState } from "./durability/recover-state.ts";
import { CommandReplay } from "./durability/command-replay.ts";
import type { RowUpdate } from "./outputs/row-change-builder.ts";
import { Scheduler } from "./schedule/scheduler.ts";
import { checkStarter, type RunCheck } from "./schedule/check-starter.ts";
import { type PlanSwapResult, swapPlan } from "./reload/swap-plan.ts";
import { type NextCheck, scheduledPlanOf } from "./schedule/check-times.ts";

export type RealmOptions = {
  readonly name: string;
  readonly plan: RealmPlan;
  readonly clock: Clock;
  readonly journal: LoopJournal;
  readonly epoch: number;
  readonly stored: StoredState & {
    readonly commands: readonly AcceptedCommand[];
    readonly lastCommandSeq: number;
    readonly recordedCommandSeq: number;
  };
  readonly run: RunCheck;
  readonly zones: ReadonlySet<string>;
  /** Runs the checks of all other zones. */
  readonly runElsewhere?: RunCheck | undefined;
  readonly source: string;
  readonly maxConcurrentChecks: number;
  readonly listeners: {
    rowsChanged(changes: readonly RowUpdate[]): void;
    /** What is known beside objects has changed: a switch, or the configuration. */
    catalogChanged(catalog: Catalog): void;
    historyAdvanced(lastSeq: number): void;
    notify(notifications: readonly Notification[]): void;
    handle(calls: readonly HandlerCall[]): void;
    journalFailed(why: string): void;
    journalHealed(): void;
    clockJumped?(byMs: number): void;
    resultDropped(why: DropReason): void;
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
  /** Begins to check and to tell. Before it the state only answers. */
  start(): void;
  /** Makes another plan the running one: what did not change keeps its state and schedule. */
  swap(plan: RealmPlan): Promise<PlanSwapResult>;
  /** Starts no more checks, waits up to `graceMs` for those that run, and writes everything. */
  stop(graceMs: number): Promise<void>;
};

/** How often a stop looks whether the last check has ended, ms. */
const stopPollMs = 20;
/** How long a stop waits for checks that others run, or that nobody has taken, ms. They are due again after the start. */
const elsewhereGraceMs = 2_000;
/** Of the checks that run here; zones have names that are never empty. */
const ownLane = "";

/** What the commands of a crash are worth telling goes out once everything that delivers it is there. */
function holdBack(listeners: RealmOptions["listeners"]) {
  const notifications: Notification[] = [];
  const calls: HandlerCall[] = [];
  let held = true;
  return {
    listeners: {
      ...listeners,
      notify: (some: readonly Notification[]) => (held ? void notifications.push(...some) : listeners.notify(some)),
      handle: (some: readonly HandlerCall[]) => (held ? void calls.push(...some) : listeners.handle(some)),
    },
    letOut() {
      held = false;
      if (notifications.length > 0) listeners.notify(notifications);
      if (calls.length > 0) listeners.handle(calls);
    },
  };
}

const keptTurn = ({ nextCheckAtMs, missedTurnAtMs }: ObjectState): NextCheck | undefined =>
  nextCheckAtMs === undefined ? undefined : { nextCheckAtMs, missedTurnAtMs };

/** Puts a realm together from its plan and what the journal kept, accepted commands applied. */
export async function openRealm(options: RealmOptions): Promise<OpenRealm> {
  const { clock, plan, stored } = options;
  const { listeners, letOut } = holdBack(options.listeners);
  const recovery = recoverState(stored, plan, clock.now());
  const realm = new RealmState(options.name, plan, recovery.program);
  realm.addObjects(recovery.states, clock.now());
  let stopped = false;
  const start = checkStarter({
    ...options,
    realm,
    // What is broken off by the end of the agent says nothing of its target.
    loop: () => (stopped ? { submitResult() {} } : loop),
    ended: listeners.checkEnded,
    finished: (ref) => scheduler.finished(ref),
  });
  const scheduler: Scheduler = new Scheduler({
    clock,
    calendar: () => realm.calendar(),
    maxConcurrent: options.maxConcurrentChecks,
    queueNameOf: ({ about }) => (options.zones.has(about.zone) ? ownLane : about.zone),
    isActive: (ref) =>
      realm.program.toggles.activeChecks && (realm.records.get(ref)?.state.toggles.activeChecks ?? false),
    start,
    postponed: (ref, nextCheckAtMs) => loop.postponed(ref, nextCheckAtMs),
  });
  const appliedCommandSeq = stored.commands[0] === undefined ? stored.lastCommandSeq : stored.commands[0].seq - 1;
  const { states, lastCommandSeq: lastSeq, recordedCommandSeq: recordedSeq } = stored;
  const replay = new CommandReplay({ states, appliedSeq: appliedCommandSeq, lastSeq, recordedSeq });
  const loop: RealmLoop = new RealmLoop({
    ...options,
    ...listeners,
    realm,
    scheduler,
    appliedCommandSeq,
    replay,
    programChanged: () => listeners.catalogChanged(realmCatalog(realm)),
  });
  await loop.applyRecovery(recovery);
  for (const command of stored.commands) loop.submitCommand(command);
  await loop.settled();
  replay.end();

  return {
    realm,
    loop,
    scheduler,
    start() {
      letOut();
      loop.start();
      for (const { plan: object, state } of realm.records.values()) {
        const scheduled = scheduledPlanOf(object);
        if (scheduled === undefined) continue;
        const { nextCheckAtMs, missedTurnAtMs } = scheduler.add(scheduled, keptTurn(state));
        // A due time that holds need not be written again.
        if (nextCheckAtMs !== state.nextCheckAtMs) loop.postponed(object.ref, nextCheckAtMs, missedTurnAtMs);
        if (state.checkAskedAtMs !== undefined) scheduler.checkNow(object.ref);
      }
    },
    swap: (next) => loop.swapPlan(() => swapPlan(next, { realm, scheduler, clock })),
    async stop(graceMs) {
      scheduler.stop();
      const startedMs = clock.monotonic();
      const mayWait = (): boolean => {
        const waitedMs = clock.monotonic() - startedMs;
        if (waitedMs < Math.min(graceMs, elsewhereGraceMs)) return scheduler.runningCount > 0;
        return waitedMs < graceMs && scheduler.runningIn(ownLane) > 0;
      };
      while (mayWait()) await new Promise<void>((go) => clock.after(stopPollMs, go));
      stopped = true;
      await loop.stop();
    },
  };
}
