import type { ObjectPlan } from "../config/plan.ts";
import { deepFreeze } from "./freeze.ts";

/** Objects of one slice: what a thread takes in within about a ms. */
const sliceLength = 250;

/**
 * Some of a plan's objects as text: twice as fast to take in as the same objects cloned, and without long pauses.
 * Parts that many objects have alike are told once and then by number.
 */
export type ObjectSlice = { readonly text: string; readonly last: boolean };

/** Of `ObjectSlice.text`. The numbers count on from the parts of the slices before. */
type Told = { readonly parts: readonly object[]; readonly objects: readonly ToldObject[] };
type Part = "flap" | "vars" | "schedule";
type ToldObject = { [P in Part]?: number | object } & { about: { key: unknown; labels: number | object }; key: object };

/** Deals out objects slice by slice; the next one is made ready while the receiver is busy with the one before. */
export function sliced(objects: readonly ObjectPlan[]): () => ObjectSlice {
  const numbers = new Map<string, number>();
  let from = 0;
  const cut = (): ObjectSlice => {
    const parts: object[] = [];
    const numberOf = (part: object): number => {
      const text = JSON.stringify(part);
      const known = numbers.get(text);
      if (known !== undefined) return known;
      parts.push(part);
      numbers.set(text, numbers.size);
      return numbers.size - 1;
    };
    const told: Told = { parts, objects: objects.slice(from, from + sliceLength).map((each) => tell(each, numberOf)) };
    from += sliceLength;
    return { text: JSON.stringify(told), last: from >= objects.length };
  };
  let ready: ObjectSlice | undefined;
  return () => {
    const slice = ready ?? cut();
    ready = undefined;
    if (!slice.last)
      queueMicrotask(() => {
        ready = cut();
      });
    return slice;
  };
}

function tell(object: ObjectPlan, numberOf: (part: object) => number): ToldObject {
  const about = { ...object.about, key: 0, labels: numberOf(object.about.labels) };
  const told: ToldObject = { ...object, about, flap: numberOf(object.flap), vars: numberOf(object.vars) };
  if ("schedule" in object) told.schedule = numberOf(object.schedule);
  return told;
}

/** Reads the slices of one plan, in their order: the objects, frozen. What was told once is held once. */
export function sliceReader(): (slice: ObjectSlice) => readonly ObjectPlan[] {
  const known: object[] = [];
  const part = (number: unknown): object => known[number as number] as object;
  return ({ text }) => {
    const { parts, objects } = JSON.parse(text) as Told;
    for (const each of parts) known.push(deepFreeze(each));
    for (const object of objects) {
      object.about.key = object.key;
      object.about.labels = part(object.about.labels);
      object.flap = part(object.flap);
      object.vars = part(object.vars);
      if (object.schedule !== undefined) object.schedule = part(object.schedule);
    }
    return deepFreeze(objects) as unknown as readonly ObjectPlan[];
  };
}
