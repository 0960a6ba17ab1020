import type { CompiledObject } from "../config/compile/compile-objects.ts";
import {
  decodeDefinition,
  type EncodedDefinition,
  type HostLinks,
  type PartNames,
} from "../config/compile/object-definition.ts";
import type { HostPlan, ObjectPlan, ServicePlan } from "../config/plan.ts";
import { deepFreeze } from "./deep-freeze.ts";

/** Objects of one slice: what a thread takes in within about a ms. */
const sliceLength = 250;

/** The text that a slice is. */
type Told = {
  /** Those that no slice before has told. */
  readonly parts: readonly (readonly [name: string, part: object])[];
  readonly definitions: readonly EncodedDefinition[];
  readonly digests: readonly string[];
  /** Of hosts, at the places of their definitions. */
  readonly links: readonly (HostLinks | 0)[];
};

/**
 * Cuts objects, as they are compiled, into slices: texts that take half the time of the same objects cloned to take in,
 * and no long pauses. Parts that many objects have alike are told once.
 */
export function* sliced(objects: Iterable<CompiledObject>, names: PartNames): Generator<string> {
  let slice: CompiledObject[] = [];
  for (const object of objects) {
    slice.push(object);
    if (slice.length < sliceLength) continue;
    yield textOf(slice, names);
    slice = [];
  }
  if (slice.length > 0) yield textOf(slice, names);
}

function textOf(slice: readonly CompiledObject[], names: PartNames): string {
  const links = slice.map(({ plan }) =>
    "services" in plan ? { children: plan.children, services: plan.services } : 0,
  );
  const rest = { parts: names.takeFresh(), digests: slice.map(({ plan }) => plan.digest), links };
  const definitions = slice.map(({ definition }) => definition).join(",");
  return `{"definitions":[${definitions}],${JSON.stringify(rest satisfies Omit<Told, "definitions">).slice(1)}`;
}

/** Reads the slices of one plan, in their order: the objects, frozen. What was told once is held once. */
export function sliceReader(): (slice: string) => readonly ObjectPlan[] {
  const parts = new Map<string, object>();
  return (slice) => {
    const told = JSON.parse(slice) as Told;
    for (const [name, part] of told.parts) parts.set(name, deepFreeze(part));
    return told.definitions.map((written, i) => {
      const links = told.links[i] || noLinks;
      const object = decodeDefinition(written, { parts, links, digest: told.digests[i] as string });
      return "check" in object ? freezeChecked(object) : deepFreeze(object);
    });
  };
}

/** As `deepFreeze`, in half the time: parts and the lists that are nobody's own are frozen already. */
function freezeChecked(object: HostPlan | ServicePlan): ObjectPlan {
  Object.freeze(object.key);
  Object.freeze(object.about);
  deepFreeze(object.check);
  if ("children" in object) for (const list of [object.parents, object.children, object.services]) Object.freeze(list);
  return Object.freeze(object);
}

const noLinks: HostLinks = { children: [], services: [] };
