import { sloProcessName } from "@realmwatch/shared/config/compile/compile-slo-process";
import type { ObjectPlan, RealmPlan, SloPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import { matchesSelector, parseSelector } from "@realmwatch/shared/text/selector/selector";

/** Longest time of work without a yield to the event loop, ms. */
const workSliceMs = 8;

/** Yields to the event loop when the present slice of work has lasted `workSliceMs`. */
export function workSlicer(clock: Pick<Clock, "monotonic" | "after">): () => Promise<void> | undefined {
  let endsAtMs = clock.monotonic() + workSliceMs;
  return () => {
    if (clock.monotonic() < endsAtMs) return undefined;
    return new Promise((resolve) =>
      clock.after(0, () => {
        endsAtMs = clock.monotonic() + workSliceMs;
        resolve();
      }),
    );
  };
}

/** True for the process of an objective, which is no object of any objective. */
const isSloProcess = ({ key }: ObjectPlan, slos: readonly SloPlan[]): boolean =>
  key.kind === "process" &&
  key.name.startsWith("slo:") &&
  slos.some(({ name, notification }) => notification !== "" && sloProcessName(name) === key.name);

/** Returns the objects of a service level objective, in the order of the plan. */
type SloMembers = (plan: RealmPlan, slo: SloPlan) => Promise<readonly ObjectPlan[]>;

/** Finds the objects of an objective once for each plan: its selector depends on configuration only. */
export function sloMembers({ realm, clock }: { readonly realm: string; readonly clock: Clock }): SloMembers {
  const known = new WeakMap<SloPlan, Promise<readonly ObjectPlan[]>>();

  async function find({ objects, slos }: RealmPlan, { selector: text }: SloPlan): Promise<readonly ObjectPlan[]> {
    const selector = parseSelector(text);
    // The selector was validated when the configuration was compiled.
    if (!selector.ok) return [];
    const members: ObjectPlan[] = [];
    const yieldIfDue = workSlicer(clock);
    for (const object of objects.values()) {
      if (isSloProcess(object, slos)) continue;
      if (matchesSelector(selector.value, { ...object.about, realm, status: "pending" })) members.push(object);
      await yieldIfDue();
    }
    return members;
  }

  return (plan, slo) => {
    const found = known.get(slo) ?? find(plan, slo);
    known.set(slo, found);
    return found;
  };
}
