import { sloProcessName } from "@realmwatch/shared/config/compile/compile-slo-process";
import type { SloPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { ObjectMetadata } from "@realmwatch/shared/row/row";
import { matchesSelector, parseSelector } from "@realmwatch/shared/text/selector/selector";
import type { MeasuredRealm } from "./measured-realm.ts";

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

/** True for the process of an objective, which does not belong to any objective. */
const isSloProcess = ({ key }: ObjectMetadata, slos: readonly SloPlan[]): boolean =>
  key.kind === "process" &&
  key.name.startsWith("slo:") &&
  slos.some(({ name, notification }) => notification !== "" && sloProcessName(name) === key.name);

/** Finds the objects of an objective once for each plan: its selector depends on configuration only. */
export function sloMembers(realm: MeasuredRealm, clock: Clock): (slo: SloPlan) => Promise<readonly ObjectMetadata[]> {
  const known = new WeakMap<SloPlan, Promise<readonly ObjectMetadata[]>>();

  async function find({ selector: text }: SloPlan): Promise<readonly ObjectMetadata[]> {
    const selector = parseSelector(text);
    // The selector was validated when the configuration was compiled.
    if (!selector.ok) return [];
    const members: ObjectMetadata[] = [];
    const yieldIfDue = workSlicer(clock);
    const { slos } = realm.plan;
    for (const about of realm.objects()) {
      if (isSloProcess(about, slos)) continue;
      if (matchesSelector(selector.value, { ...about, realm: realm.name, status: "pending", cause: "" }))
        members.push(about);
      await yieldIfDue();
    }
    return members;
  }

  return (slo) => known.getOrInsertComputed(slo, () => find(slo));
}
