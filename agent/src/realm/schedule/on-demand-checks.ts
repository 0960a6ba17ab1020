import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { never } from "@realmwatch/shared/model/never";
import { awaitsHostCheck } from "../../engine/notify/notification-state.ts";
import { isEarlier } from "../../engine/state/is-earlier.ts";
import type { FollowUp, NeighbourFilter } from "../../engine/follow-up.ts";
import { matchesNeighbourFilter } from "../../engine/state/on-demand-checks.ts";
import type { ObjectState } from "../../engine/state/object-state.ts";
import type { DueQueue } from "../timers/due-queue.ts";
import type { RealmState } from "../state/realm-state.ts";
import { freshResultMs } from "./scheduler.ts";
import { scheduledPlanOf } from "./check-times.ts";

/** A follow-up that asks for a check of other objects. */
export type CheckFollowUp = Extract<FollowUp, { kind: `check_${string}` | "await_host" }>;

export type OnDemandChecksOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly scheduler: { checkSoon(ref: string, lastCheckAtMs: number | undefined): void };
  /** When an object wants a step though nothing happens to it, on the wall clock. */
  readonly timers: DueQueue;
};

/** A problem that is about to be confirmed has no more than so many others looked at. */
const mastersLookedAt = 100;

const awaitsHost = ({ notificationState }: ObjectState): boolean =>
  notificationState !== undefined && awaitsHostCheck(notificationState);

/** Has objects looked at before their turn because of what became of another one. */
export class OnDemandChecks {
  readonly #clock: Clock;
  readonly #realm: RealmState;
  readonly #scheduler: OnDemandChecksOptions["scheduler"];
  readonly #timers: DueQueue;
  /** [HS6] By object: when a neighbour put in doubt what is known of it, Unix ms. */
  readonly #doubtedAtMs = new Map<string, number>();
  /** To be looked at and not asked for yet, in the order in which they came. */
  readonly #toAsk = new Set<string>();

  constructor({ clock, realm, scheduler, timers }: OnDemandChecksOptions) {
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
    this.#timers = timers;
  }

  follow(plan: ObjectPlan, look: CheckFollowUp): void {
    switch (look.kind) {
      case "check_host":
        return "host" in plan ? this.#checkSoon([plan.host]) : undefined;
      case "await_host":
        return this.#awaitHost(plan);
      case "check_parents":
        return "parents" in plan ? this.#lookAt(plan.parents, look.which) : undefined;
      case "check_children":
        return "children" in plan ? this.#lookAt(plan.children, look.which) : undefined;
      case "check_dependencies":
        return this.#checkSoon(this.#mastersOf(plan.ref));
      default:
        return never(look);
    }
  }

  /**
   * [HS4] The host's check that was on its way may be older than the problem too, and a restart forgets who waits:
   * an object whose message still waits after a step asks again.
   */
  repeatHostRequest(plan: ObjectPlan, state: ObjectState): void {
    if (awaitsHost(state)) this.#awaitHost(plan);
  }

  /** How many wait for `ask`. */
  get pending(): number {
    return this.#toAsk.size;
  }

  /** [HS3] A router may have ten thousand children: no more than `most` looks are asked for in one go. */
  request(most: number): void {
    let left = most;
    for (const ref of this.#toAsk) {
      if (left <= 0) return;
      left -= 1;
      this.#toAsk.delete(ref);
      this.#checkSoon([ref]);
      const recheckAtMs = this.dueMs(ref);
      if (recheckAtMs < (this.#timers.at(ref) ?? Number.POSITIVE_INFINITY)) this.#timers.set(ref, recheckAtMs);
    }
  }

  /** [HS6] The object has a result: it ends the doubt, unless its check began before that. */
  resultReceived(ref: string, executedAtMs: number): void {
    const doubtedAtMs = this.#doubtedAtMs.get(ref);
    if (doubtedAtMs === undefined) return;
    if (isEarlier(executedAtMs, doubtedAtMs, this.#clock.now())) this.recheckDoubted(ref);
    else this.#doubtedAtMs.delete(ref);
  }

  /** [HS6] Has an object looked at that is in doubt, where what is known of it is old enough now. */
  recheckDoubted(ref: string): void {
    if (this.#doubtedAtMs.has(ref)) this.#checkSoon([ref]);
  }

  /** [HS6] When `askAgain` would help, Unix ms; Infinity where it would not. */
  dueMs(ref: string): number {
    if (!this.#doubtedAtMs.has(ref)) return Number.POSITIVE_INFINITY;
    const lastAtMs = this.#lastCheckAtMs(ref);
    const young = lastAtMs !== undefined && Math.abs(this.#clock.now() - lastAtMs) < freshResultMs;
    return young ? lastAtMs + freshResultMs : Number.POSITIVE_INFINITY;
  }

  forget(ref: string): void {
    this.#doubtedAtMs.delete(ref);
    this.#toAsk.delete(ref);
  }

  /** The host's last result, however young, is older than the problem: this asks for a new one. */
  #awaitHost(plan: ObjectPlan): void {
    if ("host" in plan && this.#realm.awaitHostResult(plan.host, plan.ref)) this.#scheduler.checkSoon(plan.host, undefined);
  }

  /** [HS5] What the dependencies of an object read; of a process, what its rule reads. */
  #mastersOf(ref: string): ReadonlySet<string> {
    const masters = new Set<string>();
    const add = (refs: Iterable<string>): void => {
      for (const master of refs) {
        if (masters.size >= mastersLookedAt) return;
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

  #lookAt(refs: readonly string[], which: NeighbourFilter): void {
    for (const ref of refs) {
      if (!matchesNeighbourFilter(which, this.#realm.statusOf(ref))) continue;
      this.#toAsk.add(ref);
      if (which !== "all") this.#doubt(ref);
    }
  }

  /** [HS6] What is known of the object, and what a check that runs will say, is from before the doubt. */
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
