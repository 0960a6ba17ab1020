import type { ObjectPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/words/clock";
import { never } from "@realmwatch/shared/words/never";
import type { FollowUp } from "../engine/input.ts";
import type { ObjectState } from "../engine/state.ts";
import type { RealmState } from "./realm-state.ts";

/** A follow-up that asks for a check of other objects. */
export type Look = Extract<FollowUp, { kind: `check_${string}` | "await_host" }>;

export type NeighbourLooksOptions = {
  readonly clock: Clock;
  readonly realm: RealmState;
  readonly scheduler: { checkSoon(ref: string, lastCheckAtMs: number | undefined): void };
};

/** A problem that is about to be confirmed has no more than so many others looked at. */
const mastersLookedAt = 100;

const awaitsHost = ({ telling }: ObjectState): boolean =>
  telling?.hostAwaitedSinceMs !== undefined && telling.because?.reason === "host_check_awaited";

/** Has objects looked at before their turn because of what became of another one. */
export class NeighbourLooks {
  readonly #clock: Clock;
  readonly #realm: RealmState;
  readonly #scheduler: NeighbourLooksOptions["scheduler"];

  constructor({ clock, realm, scheduler }: NeighbourLooksOptions) {
    this.#clock = clock;
    this.#realm = realm;
    this.#scheduler = scheduler;
  }

  follow(plan: ObjectPlan, { kind }: Look): void {
    switch (kind) {
      case "check_host":
        return "host" in plan ? this.#checkSoon([plan.host]) : undefined;
      case "await_host":
        return this.#awaitHost(plan);
      case "check_parents":
        return "parents" in plan ? this.#checkSoon(plan.parents) : undefined;
      case "check_children":
        return "children" in plan ? this.#checkSoon(plan.children) : undefined;
      case "check_masters":
        return this.#checkSoon(this.#mastersOf(plan.ref));
      default:
        return never(kind);
    }
  }

  /**
   * [HS4] The host's check that was on its way may be older than the problem too, and a restart forgets who waits:
   * an object whose message still waits after a step asks again.
   */
  keepWaiting(plan: ObjectPlan, state: ObjectState): void {
    if (awaitsHost(state)) this.#awaitHost(plan);
  }

  /** The host's last result, however young, is older than the problem: this asks for a new one. */
  #awaitHost(plan: ObjectPlan): void {
    if ("host" in plan && this.#realm.awaitHost(plan.host, plan.ref)) this.#scheduler.checkSoon(plan.host, undefined);
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

  #checkSoon(refs: Iterable<string>): void {
    for (const ref of refs) this.#scheduler.checkSoon(ref, this.#realm.records.get(ref)?.state.last?.executedAtMs);
  }
}
