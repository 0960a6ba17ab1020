import { type Calendar, openCalendar } from "@realmwatch/shared/calendar/timeperiod";
import type { ObjectPlan, ProcessPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { Activation } from "@realmwatch/shared/model/downtime";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { allProgramTogglesOn, type ProgramToggles } from "@realmwatch/shared/model/toggles";
import { matchesSelector, type Selector } from "@realmwatch/shared/text/selector";
import { statusOf } from "../../engine/state/attempts.ts";
import { activationOf, anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { ObjectContext, NotificationRouting } from "../../engine/object-context.ts";
import { isDownOrUnreachable } from "../../engine/state/reachability.ts";
import { type InheritedSuppression, noInheritedSuppression } from "../../engine/state/object-row.ts";
import { newState, type ObjectState } from "../../engine/state/object-state.ts";
import { DependencyTracker } from "./dependency-tracker.ts";
import { ProcessRanks } from "./process-ranks.ts";
import { RecurringWindows } from "./recurring-windows.ts";
import { RealmObjectContext } from "./object-context.ts";
import { notificationRoutingFor } from "./notification-routing.ts";

/** One object as the loop holds it. */
export type ObjectRecord = { plan: ObjectPlan; state: ObjectState };

/** What a new plan means for one object. */
export type ObjectSwap =
  | { readonly kind: "added"; readonly record: ObjectRecord }
  | { readonly kind: "kept" | "changed"; readonly record: ObjectRecord; readonly before: ObjectPlan }
  | { readonly kind: "removed"; readonly record: ObjectRecord };

/** What is true of the whole realm. Plain JSON: the journal keeps it. */
export type ProgramState = {
  readonly toggles: ProgramToggles;
  /** [TG3] What the plan said of all handlers when they were switched off; undefined where they are on. */
  readonly handlersConfigured?: boolean | undefined;
  readonly disabledContacts: readonly string[];
  /** When the agent was last seen alive: how long it was down decides whether silence counts. */
  readonly aliveAtMs: number;
  /** Of the plan that ran then; empty where that is not known. */
  readonly configHash: string;
};

export const newProgramState = (nowMs: number): ProgramState => ({
  toggles: allProgramTogglesOn,
  disabledContacts: [],
  aliveAtMs: nowMs,
  configHash: "",
});

/**
 * All objects of a realm with what is needed to find one from another: parents, services, the processes
 * that read an object, the downtimes another downtime triggers, whose a comment or downtime is, the dependencies
 * and recurring downtimes of an object, and who waits for a host's result.
 * The loop alone changes it.
 */
export class RealmState {
  readonly records = new Map<string, ObjectRecord>();
  /** By comment id and by downtime id: the object it is on. */
  readonly commentRefs = new Map<string, string>();
  readonly downtimeRefs = new Map<string, string>();
  dependencies: DependencyTracker;
  recurringWindows: RecurringWindows;
  ranks: ProcessRanks;
  readonly #readers = new Map<string, string[]>();
  /** By host: the services of which something is told only after its next result. */
  readonly #awaiting = new Map<string, Set<string>>();
  readonly #triggered = new Map<string, Set<string>>();
  #tellings: { plan: RealmPlan; program: ProgramState; of: Map<string, NotificationRouting> } | undefined;
  #calendar: { readonly of: RealmPlan["timeperiods"]; readonly calendar: Calendar } | undefined;
  /** The realm's own name, what `@realm` selects. */
  readonly name: string;
  plan: RealmPlan;
  program: ProgramState;

  constructor(name: string, plan: RealmPlan, program: ProgramState) {
    this.name = name;
    this.plan = plan;
    this.program = program;
    this.recurringWindows = new RecurringWindows(plan.recurringDowntimes, this.calendar());
    this.ranks = new ProcessRanks(plan.objects);
    this.dependencies = this.#watchDependencies();
  }

  #watchDependencies(): DependencyTracker {
    return new DependencyTracker(this.plan.dependencies, {
      calendar: this.calendar(),
      stateOf: (ref) => this.records.get(ref)?.state,
    });
  }

  /** Takes in every object of the plan with what was kept of it. */
  addObjects(kept: ReadonlyMap<string, ObjectState>, nowMs: number): void {
    for (const plan of this.plan.objects.values()) {
      const state = kept.get(plan.ref) ?? newState(nowMs);
      this.records.set(plan.ref, { plan, state });
      this.index(plan.ref, undefined, state);
      if ("inputs" in plan) this.#addReader(plan);
    }
    this.dependencies.reset(nowMs);
  }

  #addReader({ ref, inputs }: ProcessPlan): void {
    for (const input of inputs) {
      const readers = this.#readers.get(input);
      if (readers === undefined) this.#readers.set(input, [ref]);
      else readers.push(ref);
    }
  }

  /**
   * Makes another plan the realm's own, an object at a time so that the caller can take breaths; nothing
   * else may step meanwhile. State stays with its object, what is no longer configured goes.
   */
  *replacePlan(plan: RealmPlan, nowMs: number): Generator<ObjectSwap> {
    this.plan = plan;
    this.recurringWindows = new RecurringWindows(plan.recurringDowntimes, this.calendar());
    this.ranks = new ProcessRanks(plan.objects);
    this.dependencies = this.#watchDependencies();
    this.#readers.clear();
    for (const object of plan.objects.values()) {
      if ("inputs" in object) this.#addReader(object);
      const record = this.records.get(object.ref);
      if (record === undefined) {
        const added = { plan: object, state: newState(nowMs) };
        this.records.set(object.ref, added);
        yield { kind: "added", record: added };
      } else {
        const before = record.plan;
        record.plan = object;
        yield { kind: before.digest === object.digest ? "kept" : "changed", record, before };
      }
    }
    // All of the plan's own are among the records now: where there are no more, none is gone.
    const suspects = this.records.size > plan.objects.size ? this.records : [];
    for (const [ref, gone] of suspects) {
      if (plan.objects.has(ref)) continue;
      this.records.delete(ref);
      this.#awaiting.delete(ref);
      this.index(ref, gone.state, newState(nowMs));
      yield { kind: "removed", record: gone };
    }
    this.dependencies.reset(nowMs);
  }

  /** A service's message waits for the next result of its host. Answers whether that is news. */
  awaitHostResult(host: string, service: string): boolean {
    const waiting = this.#awaiting.get(host) ?? new Set();
    if (waiting.has(service)) return false;
    this.#awaiting.set(host, waiting.add(service));
    return true;
  }

  /** Those that waited for the host, which has a result now. They wait no longer. */
  takeServicesAwaiting(host: string): Iterable<string> {
    const waiting = this.#awaiting.get(host);
    if (waiting === undefined) return [];
    this.#awaiting.delete(host);
    return waiting;
  }

  /** What a selector matches as things are now, in the plan's order. */
  recordsMatching(selector: Selector): readonly ObjectRecord[] {
    return [...this.records.values()].filter(({ plan, state }) =>
      matchesSelector(selector, { ...plan.about, realm: this.name, status: statusOf(state.phase) }),
    );
  }

  refsMatching(selector: Selector): readonly string[] {
    return this.recordsMatching(selector).map(({ plan }) => plan.ref);
  }

  /** The processes whose rule reads `ref`. */
  readersOf(ref: string): readonly string[] {
    return this.#readers.get(ref) ?? [];
  }

  /** The objects with a downtime that `downtimeId` triggers. */
  triggeredBy(downtimeId: string): readonly string[] {
    return [...(this.#triggered.get(downtimeId) ?? [])];
  }

  /**
   * Keeps the indexes true after a step. Only what the step itself added or took away is touched: what was
   * accepted and is not applied yet has its place in them too.
   */
  index(ref: string, before: ObjectState | undefined, after: ObjectState): void {
    if (before?.comments !== after.comments) moveIds(this.commentRefs, ref, before?.comments ?? [], after.comments);
    if (before?.downtimes === after.downtimes) return;
    moveIds(this.downtimeRefs, ref, ownDowntimes(before), ownDowntimes(after));
    const [was, is] = [triggersOf(before), triggersOf(after)];
    for (const id of is) {
      const waiting = this.#triggered.get(id);
      if (waiting === undefined) this.#triggered.set(id, new Set([ref]));
      else waiting.add(ref);
    }
    for (const id of was) {
      if (is.has(id)) continue;
      const waiting = this.#triggered.get(id);
      waiting?.delete(ref);
      if (waiting?.size === 0) this.#triggered.delete(id);
    }
  }

  /** The window of a downtime while it is in effect: those it triggers begin within it. */
  activationOf(downtimeId: string): Activation | undefined {
    const record = this.records.get(this.downtimeRefs.get(downtimeId) ?? "");
    const downtime = record?.state.downtimes.find(({ id, inEffect }) => id === downtimeId && inEffect);
    return downtime && activationOf(downtime);
  }

  statusOf(ref: string): Status {
    const record = this.records.get(ref);
    return record === undefined ? "pending" : statusOf(record.state.phase);
  }

  /** What the rest of the realm means for one object right now. */
  objectContextOf(record: ObjectRecord, nowMs: number): ObjectContext {
    return new RealmObjectContext(this, record, nowMs);
  }

  /** Who is told by a policy, and when. Worked out once for as long as the plan and the switches stay. */
  notificationRoutingOf(policy: string): NotificationRouting {
    if (this.#tellings?.plan !== this.plan || this.#tellings.program !== this.program)
      this.#tellings = { plan: this.plan, program: this.program, of: new Map() };
    const known = this.#tellings.of.get(policy);
    if (known !== undefined) return known;
    const telling = notificationRoutingFor(this, policy);
    this.#tellings.of.set(policy, telling);
    return telling;
  }

  /** Of the plan as it is now: another plan brings another calendar. */
  calendar(): Calendar {
    const { timeperiods } = this.plan;
    if (this.#calendar?.of !== timeperiods) this.#calendar = { of: timeperiods, calendar: openCalendar(timeperiods) };
    return this.#calendar.calendar;
  }

  /** What readers see of one object beside its own state. What is in the way is worked out only for a problem. */
  suppressionOf(record: ObjectRecord, nowMs: number): InheritedSuppression {
    const { plan, state } = record;
    const hostInDowntime = this.#hostInDowntime(plan);
    if (!isProblem(statusOf(state.phase))) return hostInDowntime ? { hostInDowntime, suppressedBy: [] } : noInheritedSuppression;
    const suppressedBy = [...this.#inTheWayOf(record), ...this.dependencies.namesOfFailed(plan.ref, nowMs)];
    return { hostInDowntime, suppressedBy };
  }

  #inTheWayOf({ plan, state }: ObjectRecord): readonly string[] {
    if ("host" in plan) return this.#isHardBlocked(plan.host) ? [plan.host] : [];
    if ("parents" in plan && statusOf(state.phase) === "unreachable")
      return plan.parents.filter((ref) => isDownOrUnreachable(this.statusOf(ref)));
    return [];
  }

  #hostInDowntime(plan: ObjectPlan): boolean {
    const host = "host" in plan ? this.records.get(plan.host) : undefined;
    return host !== undefined && anyInEffect(host.state.downtimes);
  }

  /** [BP7] A process' input, by default confirmed; a child that somebody looks after can count as well. */
  inputStatus(
    ref: string,
    process: { states: "hard" | "soft"; ignoreDowntime: boolean; ignoreAcknowledged: boolean },
  ): Status {
    const record = this.records.get(ref);
    if (record === undefined) return "pending";
    const { state } = record;
    const status = process.states === "hard" ? state.lastHardStatus : statusOf(state.phase);
    if (!isProblem(status)) return status;
    const inDowntime = anyInEffect(state.downtimes) || this.#hostInDowntime(record.plan);
    const ignored =
      (process.ignoreDowntime && inDowntime) || (process.ignoreAcknowledged && state.acknowledgement !== undefined);
    return ignored ? "ok" : status;
  }

  #isHardBlocked(hostRef: string): boolean {
    const phase = this.records.get(hostRef)?.state.phase;
    return phase !== undefined && phase.kind === "hard" && isDownOrUnreachable(phase.status);
  }
}

type WithId = { readonly id: string };

/** The configuration's downtimes have one id for all of their objects, and nobody deletes or names them. */
const ownDowntimes = (state: ObjectState | undefined): readonly WithId[] =>
  (state?.downtimes ?? []).filter(({ shape }) => shape.kind !== "recurring");

/** What both lists begin with stays where it is: mostly one is added to the others. */
function moveIds(refs: Map<string, string>, ref: string, before: readonly WithId[], after: readonly WithId[]): void {
  let same = 0;
  while (same < before.length && before[same] === after[same]) same += 1;
  const [gone, come] = [before.slice(same), after.slice(same)];
  const [was, is] = [new Set(gone.map(({ id }) => id)), new Set(gone.length > 0 ? come.map(({ id }) => id) : [])];
  for (const id of was) if (!is.has(id)) refs.delete(id);
  for (const { id } of come) if (!was.has(id)) refs.set(id, ref);
}

/** Ids of the downtimes that some of an object's wait for. */
const triggersOf = (state: ObjectState | undefined): ReadonlySet<string> =>
  new Set((state?.downtimes ?? []).flatMap(({ shape }) => (shape.kind === "triggered" ? [shape.triggeredBy] : [])));
