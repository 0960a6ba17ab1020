import type { CompiledObjects, ObjectLinks } from "../config/object-identities.ts";
import type { ObjectPlan } from "../config/plan.ts";

/** Consecutive objects of the receiver's plan: index of the first one, and their number. */
type ObjectRange = { readonly from: number; readonly count: number };
/** Object of the receiver's plan of which other objects define something else now. */
type RelinkedObject = { readonly from: number; readonly links: ObjectLinks };

/** Object, or some that the receiver has from the load before. */
export type SentObject = ObjectPlan | ObjectRange | RelinkedObject;

/** Number of objects from which on a range is not continued: the receiver takes them over without yielding. */
const maxCount = 5_000;

/**
 * Replaces objects that the receiver has by ranges of its plan.
 *
 * @param indexOf index in the receiver's plan of an object that is the same there; undefined for any other
 */
export function* rangesOfKnown(
  objects: Iterable<CompiledObjects>,
  indexOf: (object: ObjectPlan, identity: string) => number | undefined,
): Generator<SentObject> {
  let range: ObjectRange = { from: 0, count: 0 };
  for (const each of objects) {
    const index = each.kind === "kept" ? each.index : indexOf(each.object, each.identity);
    const count = each.kind === "kept" ? each.identities.length : 1;
    const isSame = index !== undefined && (each.kind === "compiled" || each.links === undefined);
    if (isSame && range.from + range.count === index && range.count < maxCount) {
      range = { from: range.from, count: range.count + count };
      continue;
    }
    if (range.count > 0) yield range;
    range = isSame ? { from: index, count } : { from: 0, count: 0 };
    if (isSame) continue;
    if (each.kind === "compiled") yield each.object;
    else if (each.links !== undefined) yield { from: each.index, links: each.links };
  }
  if (range.count > 0) yield range;
}

/** Objects that a message stands for, from those of the plan before. */
export function objectsOf(sent: SentObject, known: readonly ObjectPlan[]): readonly ObjectPlan[] {
  if ("ref" in sent) return [sent];
  if ("count" in sent) return known.slice(sent.from, sent.from + sent.count);
  const object = known[sent.from];
  if (object === undefined) throw new TypeError("the plan before has no such object");
  const { dependsOn, ...links } = sent.links;
  return [{ ...object, ...links, about: { ...object.about, dependsOn } }];
}
