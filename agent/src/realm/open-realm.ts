import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { AcceptedCommand } from "@realmwatch/shared/model/command";
import type { Notification } from "@realmwatch/shared/model/notification";
import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { Dropped } from "../engine/state/apply-result.ts";
import type { ObjectState } from "../engine/state/object-state.ts";
import type { HandlerCall } from "./handler-call.ts";
import type { LoopJournal } from "./keeper.ts";
import { realmCatalog } from "./realm-catalog.ts";
import { RealmLoop } from "./realm-loop.ts";
import { RealmState } from "./realm-state.ts";
import { type Kept, recoverState } from "./recover.ts";
import { Replay } from "./replay.ts";
import type { ToldChange } from "./row-teller.ts";
import { Scheduler } from "./scheduler.ts";
import { checkStarter, type RunCheck } from "./start-check.ts";
import { type Swapped, swapPlan } from "./swap-plan.ts";
import { type DueTurn, scheduledPlan } from "./turns.ts";

export type RealmOptions = {
  readonly name: string;
  readonly plan: RealmPlan;
  readonly clock: Clock;
  readonly journal: LoopJournal;
  readonly epoch: number;
  readonly kept: Kept & {
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
    told(changes: readonly ToldChange[]): void;
    /** What is known beside objects has changed: a switch, or the configuration. */
    catalogChanged(catalog: Catalog): void;
    historyAdvanced(lastSeq: number): void;
    notify(notifications: readonly Notification[]): void;
    handle(calls: readonly HandlerCall[]): void;
    journalFailed(why: string): void;
    journalHealed(): void;
    clockJumped?(byMs: number): void;
    resultDropped(why: Dropped): void;
    checkEnded(
      type: string,
      outcome: Outcome,
      timing: { readonly latencyMs: number; readonly executionMs: number },
    ): void;
  };
};

export type OpenRealm = {
  readonly realm: RealmState;
  readonly loop: RealmLoop;
  readonly scheduler: Scheduler;
  /** Begins to check and to tell. Before it the state only answers. */
  start(): void;
  /** Makes another plan the running one: what did not change keeps its state and schedule. */
  swap(plan: RealmPlan): Promise<Swapped>;
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

const keptTurn = ({ nextCheckAtMs, missedTurnAtMs }: ObjectState): DueTurn | undefined =>
  nextCheckAtMs === undefined ? undefined : { nextCheckAtMs, missedTurnAtMs };

/** Puts a realm together from its plan and what the journal kept, accepted commands applied. */
export async function openRealm(options: RealmOptions): Promise<OpenRealm> {
  const { clock, plan, kept } = options;
  const { listeners, letOut } = holdBack(options.listeners);
  const recovery = recoverState(kept, plan, clock.now());
  const realm = new RealmState(options.name, plan, recovery.program);
  realm.fill(recovery.states, clock.now());
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
    lane: ({ about }) => (options.zones.has(about.zone) ? ownLane : about.zone),
    isActive: (ref) =>
      realm.program.toggles.activeChecks && (realm.records.get(ref)?.state.toggles.activeChecks ?? false),
    start,
    postponed: (ref, nextCheckAtMs) => loop.postponed(ref, nextCheckAtMs),
  });
  const appliedCommandSeq = kept.commands[0] === undefined ? kept.lastCommandSeq : kept.commands[0].seq - 1;
  const { states, lastCommandSeq: lastSeq, recordedCommandSeq: recordedSeq } = kept;
  const replay = new Replay({ states, appliedSeq: appliedCommandSeq, lastSeq, recordedSeq });
  const loop: RealmLoop = new RealmLoop({
    ...options,
    ...listeners,
    realm,
    scheduler,
    appliedCommandSeq,
    replay,
    programChanged: () => listeners.catalogChanged(realmCatalog(realm)),
  });
  await loop.followDocument(recovery);
  for (const command of kept.commands) loop.submitCommand(command);
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
        const scheduled = scheduledPlan(object);
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
