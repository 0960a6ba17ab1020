import type { ObjectPlan } from "../config/plan.ts";
import { hashText } from "../text/hash.ts";

/** Length of an identity, UTF-16 units. */
const identityLength = 16;

/** Hash of an object with what other objects define of it. Objects of the same identity are equal. */
export function identityOf(object: ObjectPlan): string {
  const { dependsOn } = object.about;
  if (!("children" in object)) return dependsOn.length === 0 ? object.digest : withLinks(object, [dependsOn]);
  return withLinks(object, [dependsOn, object.children, object.services]);
}

const withLinks = ({ digest }: ObjectPlan, links: readonly (readonly string[])[]): string =>
  hashText(digest + JSON.stringify(links));

/** Identities of the objects of a plan, from the text that joins them. */
export function identitiesIn(joined: string): ReadonlySet<string> {
  const identities = new Set<string>();
  for (let at = 0; at < joined.length; at += identityLength) identities.add(joined.slice(at, at + identityLength));
  return identities;
}
