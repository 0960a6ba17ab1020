import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/words/clock";
import { objectKinds } from "@realmwatch/shared/words/object-key";
import type { ObjectRecord, ObjectSwap, RealmState } from "./realm-state.ts";
import { type Scheduler, scheduledPlan } from "./scheduler.ts";

/** What a swap leaves to the loop: whom to tell, write and look at again. */
export type Swapped = {
  /** Objects whose row is new or changed. */
  readonly touched: readonly string[];
  readonly added: readonly ObjectPlan[];
  readonly removed: readonly ObjectPlan[];
  readonly changed: readonly ObjectPlan[];
  /** How many of the changed ones are looked at differently now. */
  readonly checksChanged: number;
};

const kindWords = { host: "host", service: "service", process: "process" } as const;
const plurals = { host: "hosts", service: "services", process: "processes" } as const;

const many = (count: number, one: string, more: string): string[] =>
  count === 0 ? [] : [`${count} ${count === 1 ? one : more}`];

/** What changed, for logs and history: `+3 hosts, -1 service, 2 checks changed, 1 other object changed`. */
export function showSwapped({ added, removed, changed, checksChanged }: Swapped): string {
  const counts = (objects: readonly ObjectPlan[], sign: string): string[] =>
    objectKinds.flatMap((kind) => {
      const count = objects.filter(({ key }) => key.kind === kind).length;
      return many(count, kindWords[kind], plurals[kind]).map((text) => sign + text);
    });
  const parts = [
    ...counts(added, "+"),
    ...counts(removed, "-"),
    ...many(checksChanged, "check changed", "checks changed"),
    ...many(changed.length - checksChanged, "other object changed", "other objects changed"),
  ];
  return parts.length === 0 ? "no object changed" : parts.join(", ");
}

/** The thread is given back to others after so long, ms. */
const sliceMs = 8;

/** Only checks of ours are scheduled. */

const lookOf = (plan: ObjectPlan): string => JSON.stringify(isChecked(plan) ? [plan.check, plan.schedule] : plan.rule);
const sameCheck = (a: ObjectPlan, b: ObjectPlan): boolean => lookOf(a) === lookOf(b);

/** Brings the schedule of one object in line with its new definition. */
function reschedule(scheduler: Scheduler, record: ObjectRecord, before: ObjectPlan | undefined): void {
  const { plan, state } = record;
  const [now, then] = [scheduledPlan(plan), before === undefined ? undefined : scheduledPlan(before)];
  if (now === undefined) {
    if (then !== undefined) scheduler.remove(plan.ref);
    record.state = { ...state, nextCheckAtMs: undefined };
  } else if (then === undefined) {
    record.state = { ...state, nextCheckAtMs: scheduler.add(now, undefined) };
  } else {
    scheduler.redefine(now);
    const nextCheckAtMs = sameCheck(plan, before ?? plan) ? undefined : scheduler.hasten(plan.ref);
    if (nextCheckAtMs !== undefined) record.state = { ...state, nextCheckAtMs };
  }
}

/**
 * [RL1-RL3] Makes `plan` the running one. What did not change keeps its schedule and loses no check; what is
 * new is scheduled; what is gone is forgotten. Runs between rounds of the loop and gives the thread back
 * every few ms.
 */
export async function swapPlan(
  plan: RealmPlan,
  { realm, scheduler, clock }: { realm: RealmState; scheduler: Scheduler; clock: Clock },
): Promise<Swapped> {
  const [touched, added, removed, changed]: [string[], ObjectPlan[], ObjectPlan[], ObjectPlan[]] = [[], [], [], []];
  let checksChanged = 0;
  const take = (swap: ObjectSwap): void => {
    if (swap.kind === "removed") {
      scheduler.remove(swap.plan.ref);
      removed.push(swap.plan);
      return;
    }
    const { record } = swap;
    if (swap.kind === "kept") {
      const object = scheduledPlan(record.plan);
      if (object !== undefined) scheduler.redefine(object);
      return;
    }
    reschedule(scheduler, record, swap.kind === "changed" ? swap.before : undefined);
    (swap.kind === "added" ? added : changed).push(record.plan);
    if (swap.kind === "changed" && !sameCheck(swap.before, record.plan)) checksChanged += 1;
    touched.push(record.plan.ref);
  };
  let breathAt = clock.monotonic() + sliceMs;
  for (const swap of realm.replacePlan(plan, clock.now())) {
    take(swap);
    if (clock.monotonic() < breathAt) continue;
    await new Promise<void>((go) => clock.after(0, go));
    breathAt = clock.monotonic() + sliceMs;
  }
  return { touched, added, removed, changed, checksChanged };
}
