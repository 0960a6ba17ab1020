import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { awaitsHostCheck } from "../../engine/notify/notification-state.ts";
import { isEarlier } from "../../engine/state/is-earlier.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import { matchesNeighbourFilter } from "../../engine/state/on-demand-checks.ts";
import type { FollowUp, NeighbourFilter } from "../../engine/transition.ts";
import type { RealmState } from "../state/realm-state.ts";
import type { DueQueue } from "../timers/due-queue.ts";
import { scheduledPlanOf } from "./check-times.ts";
import { freshResultMs } from "./scheduler.ts";

/** A follow-up that requests checks of other objects. */
type CheckFollowUp = Extract<FollowUp, { kind: `check_${string}` | "await_host" }>;

export type OnDemandChecksOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly scheduler: { checkSoon(ref: string, lastCheckAtMs: number | undefined): void };
  /** Wall-clock deadlines at which an object is stepped. */
  readonly timers: DueQueue;
};

/** Maximum number of master objects that are checked before one problem turns hard. */
const maxMasters = 100;

const awaitsHost = ({ notificationState }: ObjectState): boolean =>
  notificationState !== undefined && awaitsHostCheck(notificationState);

/** Requests on-demand checks of hosts, parents, children and masters after a state change of another object. */
export class OnDemandChecks {
  readonly #clock: Clock;
  readonly #realm: RealmState;
  readonly #scheduler: OnDemandChecksOptions["scheduler"];
  readonly #timers: DueQueue;
  /** [HS6] By object: time at which a neighbour's change put its state in doubt, Unix ms. */
  readonly #doubtedAtMs = new Map<string, number>();
  /** Objects whose check is yet to be requested, in order of arrival. */
  readonly #pending = new Set<string>();

  constructor({ clock, realm, scheduler, timers }: OnDemandChecksOptions) {
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
    this.#timers = timers;
  }

  follow(plan: ObjectPlan, followUp: CheckFollowUp): void {
    switch (followUp.kind) {
      case "check_host":
        return "host" in plan ? this.#checkSoon([plan.host]) : undefined;
      case "await_host":
        return this.#awaitHost(plan);
      case "check_parents":
        return "parents" in plan ? this.#addNeighbours(plan.parents, followUp.which) : undefined;
      case "check_children":
        return "children" in plan ? this.#addNeighbours(plan.children, followUp.which) : undefined;
      case "check_dependencies":
        return this.#checkSoon(this.#mastersOf(plan.ref));
      default:
        return never(followUp);
    }
  }

  /**
   * [HS4] Requests the host check again if a notification of the object still waits for it after a step: the check that
   * was running may have begun before the problem, and a restart forgets the request.
   */
  repeatHostRequest(plan: ObjectPlan, state: ObjectState): void {
    if (awaitsHost(state)) this.#awaitHost(plan);
  }

  /** Number of checks that `request` has yet to request. */
  get pending(): number {
    return this.#pending.size;
  }

  /** [HS3] Requests up to `most` pending checks. Limited because a router may have 10,000 children. */
  request(most: number): void {
    let left = most;
    for (const ref of this.#pending) {
      if (left <= 0) return;
      left -= 1;
      this.#pending.delete(ref);
      this.#checkSoon([ref]);
      const dueMs = this.recheckAtMs(ref);
      if (dueMs < (this.#timers.at(ref) ?? Number.POSITIVE_INFINITY)) this.#timers.set(ref, dueMs);
    }
  }

  /** [HS6] Ends the doubt about an object that has a result, or checks it again if that check began before the doubt. */
  resultReceived(ref: string, executedAtMs: number): void {
    const doubtedAtMs = this.#doubtedAtMs.get(ref);
    if (doubtedAtMs === undefined) return;
    if (isEarlier(executedAtMs, doubtedAtMs, this.#clock.now())) this.recheckDoubted(ref);
    else this.#doubtedAtMs.delete(ref);
  }

  /** [HS6] Requests a check of an object that is in doubt, unless its last result is still fresh. */
  recheckDoubted(ref: string): void {
    if (this.#doubtedAtMs.has(ref)) this.#checkSoon([ref]);
  }

  /** [HS6] Time at which `recheckDoubted` can have an effect, Unix ms; Infinity if it cannot. */
  recheckAtMs(ref: string): number {
    if (!this.#doubtedAtMs.has(ref)) return Number.POSITIVE_INFINITY;
    const lastAtMs = this.#lastCheckAtMs(ref);
    const isFresh = lastAtMs !== undefined && Math.abs(this.#clock.now() - lastAtMs) < freshResultMs;
    return isFresh ? lastAtMs + freshResultMs : Number.POSITIVE_INFINITY;
  }

  forget(ref: string): void {
    this.#doubtedAtMs.delete(ref);
    this.#pending.delete(ref);
  }

  /** Ignores how fresh the host's last result is: it is older than the problem of the service. */
  #awaitHost(plan: ObjectPlan): void {
    if ("host" in plan && this.#realm.awaitHostResult(plan.host, plan.ref))
      this.#scheduler.checkSoon(plan.host, undefined);
  }

  /** [HS5] Objects that the dependencies of an object read, and objects that the rules of such processes read. */
  #mastersOf(ref: string): ReadonlySet<string> {
    const masters = new Set<string>();
    const add = (refs: Iterable<string>): void => {
      for (const master of refs) {
        if (masters.size >= maxMasters) return;
        masters.add(master);
      }
    };
    add(this.#realm.dependencies.mastersOf(ref, this.#clock.now()));
    for (const master of masters) {
      const plan = this.#realm.records.get(master)?.plan;
      if (plan !== undefined && "inputs" in plan) add(plan.inputs);
    }
    return masters;
  }

  #addNeighbours(refs: readonly string[], which: NeighbourFilter): void {
    for (const ref of refs) {
      if (!matchesNeighbourFilter(which, this.#realm.statusOf(ref))) continue;
      this.#pending.add(ref);
      if (which !== "all") this.#doubt(ref);
    }
  }

  /** [HS6] Known results, and that of a check that is running, are from before the doubt. */
  #doubt(ref: string): void {
    const record = this.#realm.records.get(ref);
    if (record === undefined || scheduledPlanOf(record.plan) === undefined) return;
    this.#doubtedAtMs.set(ref, this.#clock.now());
  }

  #checkSoon(refs: Iterable<string>): void {
    for (const ref of refs) this.#scheduler.checkSoon(ref, this.#lastCheckAtMs(ref));
  }

  #lastCheckAtMs(ref: string): number | undefined {
    return this.#realm.records.get(ref)?.state.last?.executedAtMs;
  }
}
