import { isChecked, type ObjectPlan, type RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/words/clock";
import { objectKinds } from "@realmwatch/shared/words/object-key";
import type { ObjectRecord, ObjectSwap, RealmState } from "./realm-state.ts";
import type { Scheduler } from "./scheduler.ts";

/** What a swap leaves to the loop: whom to tell, write and look at again. */
export type Swapped = {
  /** Objects whose row is new or changed. */
  readonly touched: readonly string[];
  readonly added: readonly ObjectPlan[];
  readonly removed: readonly ObjectPlan[];
  readonly changed: readonly ObjectPlan[];
};

const kindWords = { host: "host", service: "service", process: "process" } as const;
const plurals = { host: "hosts", service: "services", process: "processes" } as const;

/** What changed, for logs and history: `+3 hosts, -1 service, 2 objects changed`. */
export function showSwapped({ added, removed, changed }: Swapped): string {
  const counts = (objects: readonly ObjectPlan[], sign: string): string[] =>
    objectKinds.flatMap((kind) => {
      const count = objects.filter(({ key }) => key.kind === kind).length;
      return count === 0 ? [] : [`${sign}${count} ${count === 1 ? kindWords[kind] : plurals[kind]}`];
    });
  const changes =
    changed.length === 0 ? [] : [`${changed.length} ${changed.length === 1 ? "object" : "objects"} changed`];
  const parts = [...counts(added, "+"), ...counts(removed, "-"), ...changes];
  return parts.length === 0 ? "no object changed" : parts.join(", ");
}

/** The thread is given back to others after so long, ms. */
const sliceMs = 8;

/** Only checks of ours are scheduled. */
const scheduledPlan = (plan: ObjectPlan) => (isChecked(plan) && plan.check.type !== "passive" ? plan : undefined);

const sameCheck = (a: ObjectPlan, b: ObjectPlan): boolean =>
  isChecked(a) && isChecked(b) && JSON.stringify([a.check, a.schedule]) === JSON.stringify([b.check, b.schedule]);

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
    touched.push(record.plan.ref);
  };
  let breathAt = clock.monotonic() + sliceMs;
  for (const swap of realm.replacePlan(plan, clock.now())) {
    take(swap);
    if (clock.monotonic() < breathAt) continue;
    await new Promise<void>((go) => clock.after(0, go));
    breathAt = clock.monotonic() + sliceMs;
  }
  return { touched, added, removed, changed };
}
