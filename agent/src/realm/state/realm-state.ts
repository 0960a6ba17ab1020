import { type Calendar, openCalendar } from "@realmwatch/shared/calendar/timeperiod";
import type { ObjectPlan, ProcessPlan, RealmPlan } from "@realmwatch/shared/config/plan";
import type { RemainingRecipients } from "@realmwatch/shared/model/catalog";
import type { Activation } from "@realmwatch/shared/model/downtime";
import type { Notification, NotificationDecision } from "@realmwatch/shared/model/notification";
import { isProblem, type Status } from "@realmwatch/shared/model/status";
import { CauseGraph } from "@realmwatch/shared/read-model/causes/cause-graph";
import { nameSortKey } from "@realmwatch/shared/read-model/rows/row-order";
import { matchesSelector, type Selector, usesKey } from "@realmwatch/shared/text/selector/selector";
import { activationOf, anyInEffect } from "../../engine/downtimes/downtimes.ts";
import type { NotificationRouting, ObjectContext } from "../../engine/object-context.ts";
import { type InheritedSuppression, noInheritedSuppression } from "../../engine/state/object-row.ts";
import { newState, type ObjectState, statusOf } from "../../engine/state/object-state.ts";
import { isDownOrUnreachable } from "../../engine/state/reachability.ts";
import { AnnotationIndex } from "./annotation-index.ts";
import { ContactDeliveries } from "./contact-deliveries.ts";
import { muteOf } from "./contact-mutes.ts";
import { DependencyTracker } from "./dependency-tracker.ts";
import { notificationRoutingFor } from "./notification-routing.ts";
import { RealmObjectContext } from "./object-context.ts";
import type { ObjectRecord, ObjectSwap } from "./object-record.ts";
import { ProcessRanks } from "./process-ranks.ts";
import type { ProgramState } from "./program-state.ts";
import type { RealmReader } from "./realm-reader.ts";
import { RecurringWindows } from "./recurring-windows.ts";
import { remainingRecipients } from "./remaining-recipients.ts";

/**
 * State of all objects of a realm, with indexes from one object to another: parents, services, processes that read an
 * object, triggered downtimes, comments and downtimes by id, dependencies, recurring downtimes, and services that wait
 * for a result of their host. The realm loop alone holds it; every other module gets a `RealmReader`.
 */
export class RealmState implements RealmReader {
  readonly name: string;
  plan: RealmPlan;
  program: ProgramState;
  readonly records = new Map<string, ObjectRecord>();
  readonly annotations = new AnnotationIndex();
  readonly contactDeliveries: ContactDeliveries;
  dependencies: DependencyTracker;
  recurringWindows: RecurringWindows;
  ranks: ProcessRanks;
  readonly #readers = new Map<string, string[]>();
  /** By host: services whose notifications wait for its next result. */
  readonly #awaitingHost = new Map<string, Set<string>>();
  #routings: { plan: RealmPlan; program: ProgramState; of: Map<string, NotificationRouting> } | undefined;
  #remaining:
    | { plan: RealmPlan; mutes: ProgramState["mutes"]; of: ReadonlyMap<string, RemainingRecipients> }
    | undefined;
  #calendar: { readonly of: RealmPlan["timeperiods"]; readonly calendar: Calendar } | undefined;

  /** @param pending notifications whose delivery has not ended */
  constructor(name: string, plan: RealmPlan, program: ProgramState, pending: readonly Notification[] = []) {
    this.name = name;
    this.contactDeliveries = new ContactDeliveries(program.contacts, pending);
    this.plan = plan;
    this.program = program;
    this.recurringWindows = new RecurringWindows(plan.recurringDowntimes, this.calendar());
    this.ranks = new ProcessRanks(plan.objects);
    this.dependencies = this.#newDependencyTracker();
  }

  get commentRefs(): ReadonlyMap<string, string> {
    return this.annotations.comments;
  }

  get downtimeRefs(): ReadonlyMap<string, string> {
    return this.annotations.downtimes;
  }

  downtimesOfChange(changeId: string): readonly { readonly id: string; readonly ref: string }[] {
    return this.annotations.downtimesOfChange(changeId);
  }

  #newDependencyTracker(): DependencyTracker {
    return new DependencyTracker(this.plan.dependencies, {
      calendar: this.calendar(),
      stateOf: (ref) => this.records.get(ref)?.state,
    });
  }

  /** Adds every object of the plan, each with its stored state or as a new one. */
  addObjects(stored: ReadonlyMap<string, ObjectState>, nowMs: number): void {
    for (const plan of this.plan.objects.values()) {
      const state = stored.get(plan.ref) ?? newState(nowMs);
      this.records.set(plan.ref, { plan, state });
      this.annotations.update(plan.ref, undefined, state);
      if ("inputs" in plan) this.#addReader(plan);
    }
    this.dependencies.reset(nowMs);
  }

  #addReader({ ref, inputs }: ProcessPlan): void {
    for (const input of inputs) {
      this.#readers.getOrInsertComputed(input, () => []).push(ref);
    }
  }

  /**
   * Replaces the plan, one object per iteration so that the caller can yield to the event loop in between; no object
   * may be stepped meanwhile. Objects in both plans keep their state, objects that are not in the new one are removed.
   */
  *replacePlan(plan: RealmPlan, nowMs: number): Generator<ObjectSwap> {
    this.plan = plan;
    this.recurringWindows = new RecurringWindows(plan.recurringDowntimes, this.calendar());
    this.ranks = new ProcessRanks(plan.objects);
    this.dependencies = this.#newDependencyTracker();
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
        yield { kind: before.digest === object.digest ? "unchanged" : "changed", record, before };
      }
    }
    yield* this.#removeUnplanned(plan, nowMs);
    this.dependencies.reset(nowMs);
  }

  *#removeUnplanned({ objects }: RealmPlan, nowMs: number): Generator<ObjectSwap> {
    // All planned objects have records by now: with equal counts none is to be removed.
    if (this.records.size === objects.size) return;
    for (const [ref, record] of this.records) {
      if (objects.has(ref)) continue;
      this.records.delete(ref);
      this.#awaitingHost.delete(ref);
      this.annotations.update(ref, record.state, newState(nowMs));
      yield { kind: "removed", record };
    }
  }

  /** Notes that a notification of `service` waits for the host's next result. Returns false if that was noted already. */
  awaitHostResult(host: string, service: string): boolean {
    const services = this.#awaitingHost.get(host) ?? new Set();
    if (services.has(service)) return false;
    this.#awaitingHost.set(host, services.add(service));
    return true;
  }

  /** Returns and forgets the services whose notifications wait for a result of this host. */
  takeServicesAwaiting(host: string): Iterable<string> {
    const services = this.#awaitingHost.get(host);
    if (services === undefined) return [];
    this.#awaitingHost.delete(host);
    return services;
  }

  recordsMatching(selector: Selector): readonly ObjectRecord[] {
    const causes = usesKey(selector, "@cause") ? this.#causes() : undefined;
    return [...this.records.values()].filter(({ plan, state }) => {
      const cause = causes?.get(plan.ref) ?? "";
      return matchesSelector(selector, { ...plan.about, realm: this.name, status: statusOf(state.phase), cause });
    });
  }

  refsMatching(selector: Selector): readonly string[] {
    return this.recordsMatching(selector).map(({ plan }) => plan.ref);
  }

  /** Processes whose rule reads `ref`. */
  readersOf(ref: string): readonly string[] {
    return this.#readers.get(ref) ?? [];
  }

  /** Window of a downtime that is in effect, within which the downtimes that it triggers begin; else undefined. */
  activationOf(downtimeId: string): Activation | undefined {
    const record = this.records.get(this.downtimeRefs.get(downtimeId) ?? "");
    const downtime = record?.state.downtimes.find(({ id, inEffect }) => id === downtimeId && inEffect);
    return downtime && activationOf(downtime);
  }

  statusOf(ref: string): Status {
    const record = this.records.get(ref);
    return record === undefined ? "pending" : statusOf(record.state.phase);
  }

  /** State of other objects and of the realm that matters to one object at `nowMs`. Valid during one step. */
  objectContextOf(record: ObjectRecord, nowMs: number): ObjectContext {
    return new RealmObjectContext(this, record, nowMs);
  }

  /** Notification settings of a policy; cached until the plan or a toggle changes. */
  notificationRoutingOf(policy: string): NotificationRouting {
    const { plan, program } = this;
    if (this.#routings?.plan !== plan || this.#routings.program !== program)
      this.#routings = { plan, program, of: new Map() };
    return this.#routings.of.getOrInsertComputed(policy, () =>
      notificationRoutingFor({ plan, program, calendar: this.calendar() }, policy),
    );
  }

  get remainingRecipients(): ReadonlyMap<string, RemainingRecipients> {
    const { plan, program } = this;
    if (this.#remaining?.plan !== plan || this.#remaining.mutes !== program.mutes)
      this.#remaining = { plan, mutes: program.mutes, of: remainingRecipients(plan, program.mutes) };
    return this.#remaining.of;
  }

  /** Decision that keeps a notification from a contact at `nowMs`: its toggle or its period; undefined for none. */
  contactSuppression(contact: string, nowMs: number): NotificationDecision | undefined {
    const { contacts } = this.plan;
    const period = contacts.get(contact)?.notificationPeriod;
    const mute = muteOf(this.program, contact);
    if (period === undefined || mute !== undefined)
      return { reason: "contact_off", name: contact, untilMs: mute?.untilMs };
    if (period === "" || this.calendar().isOpen(period, nowMs)) return undefined;
    return { reason: "contact_period", name: period, untilMs: this.calendar().nextOpen(period, nowMs) };
  }

  /** Calendar of the present plan. A reload replaces it, so callers must not keep it. */
  calendar(): Calendar {
    const { timeperiods } = this.plan;
    if (this.#calendar?.of !== timeperiods) this.#calendar = { of: timeperiods, calendar: openCalendar(timeperiods) };
    return this.#calendar.calendar;
  }

  /** Suppression that an object inherits from its host, parents and dependencies; computed for problems only. */
  suppressionOf(record: ObjectRecord, nowMs: number): InheritedSuppression {
    const { plan, state } = record;
    const hostInDowntime = this.#hostInDowntime(plan);
    if (!isProblem(statusOf(state.phase)))
      return hostInDowntime ? { ...noInheritedSuppression, hostInDowntime } : noInheritedSuppression;
    const suppressedBy = [...this.#blockersOf(record), ...this.dependencies.namesOfFailed(plan.ref, nowMs)];
    return { hostInDowntime, suppressedBy, suppressors: this.#suppressorsOf(record) };
  }

  /** References of the objects that suppress a problem directly. */
  #suppressorsOf(record: ObjectRecord): readonly string[] {
    return [...this.#blockersOf(record), ...this.dependencies.problemsBehind(record.plan.ref)];
  }

  /** [CS1] Reference of the topmost cause of each problem that has one, by reference. */
  #causes(): ReadonlyMap<string, string> {
    const graph = new CauseGraph();
    for (const record of this.records.values()) {
      const { ref, about } = record.plan;
      if (!isProblem(statusOf(record.state.phase))) continue;
      graph.put({ realm: "", ref, sortKey: nameSortKey("", about.key) }, this.#suppressorsOf(record));
    }
    return new Map(
      graph.takeChanges().flatMap(({ entry, cause }) => (cause === undefined ? [] : [[entry.ref, cause.ref]])),
    );
  }

  #blockersOf({ plan, state }: ObjectRecord): readonly string[] {
    if ("host" in plan) return this.#isHardDown(plan.host) ? [plan.host] : [];
    if ("parents" in plan && statusOf(state.phase) === "unreachable")
      return plan.parents.filter((ref) => isDownOrUnreachable(this.statusOf(ref)));
    return [];
  }

  #hostInDowntime(plan: ObjectPlan): boolean {
    const host = "host" in plan ? this.records.get(plan.host) : undefined;
    return host !== undefined && anyInEffect(host.state.downtimes);
  }

  /** [BP7] Status of a process' input: by default the last hard one; `ok` for a problem that the process ignores. */
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

  #isHardDown(hostRef: string): boolean {
    const phase = this.records.get(hostRef)?.state.phase;
    return phase !== undefined && phase.kind === "hard" && isDownOrUnreachable(phase.status);
  }
}
