import { hashText } from "../text/hash.ts";
import type { ObjectPlan } from "./plan.ts";

/** Parts of an object that others define: its masters and, of a host, its children. */
export type ObjectLinks = Pick<ObjectPlan["about"], "dependsOn"> & { readonly children?: readonly string[] };

/** Object that has been compiled. */
type FreshObject = { readonly kind: "compiled"; readonly object: ObjectPlan; readonly identity: string };
/**
 * Objects that have not changed: consecutive ones of the plan before. `links`: what other objects define of the only one
 * now, if that has changed.
 */
type KeptObjects = {
  readonly kind: "kept";
  /** Index of the first one in the plan before. */
  readonly index: number;
  readonly identities: readonly string[];
  readonly links?: ObjectLinks;
};
export type CompiledObjects = FreshObject | KeptObjects;

/** Separates the hash of an object from that of its links. */
const separator = "|";
const digestLength = 16;

/** Digest of an object, from its identity. */
export const digestIn = (identity: string): string => identity.slice(0, digestLength);

/** True for an object of which others define something, by its identity. */
export const isLinked = (identity: string): boolean => !identity.endsWith(separator);

const hashOfList = (list: readonly string[]): string => hashText(JSON.stringify(list));

/** Identities of objects. Objects of the same identity are equal. */
export class ObjectIdentities {
  /** Hashes of lists that many objects share. */
  readonly #hashes = new Map<readonly string[], string>();

  compiled(object: ObjectPlan, links: ObjectLinks): CompiledObjects {
    const services = "services" in object && object.services.length > 0 ? hashOfList(object.services) : "";
    return { kind: "compiled", object, identity: object.digest + services + separator + this.#textOf(links) };
  }

  /** Object that has not changed, at an index of the plan before. */
  kept(index: number, before: string, links: ObjectLinks): CompiledObjects {
    const identity = before.slice(0, before.indexOf(separator) + 1) + this.#textOf(links);
    if (identity === before) return { kind: "kept", index, identities: [before] };
    return { kind: "kept", index, identities: [identity], links };
  }

  #textOf({ dependsOn, children = [] }: ObjectLinks): string {
    const childHash = children.length === 0 ? "" : hashOfList(children);
    if (dependsOn.length === 0 && childHash === "") return "";
    return `${this.#hashes.getOrInsertComputed(dependsOn, hashOfList)},${childHash}`;
  }
}
