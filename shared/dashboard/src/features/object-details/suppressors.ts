import type { ObjectKey } from "../../api/status/object-key.ts";

/** One of the names that keep a problem quiet, and what it names. */
export type Suppressor =
  | { readonly kind: "host"; readonly name: string; readonly role: "host" | "parent" }
  /** Nothing of the fleet: an entry of the configuration. */
  | { readonly kind: "dependency"; readonly name: string };

/**
 * The names of `suppressedBy` told apart: a service is held by its host, a host by its parents, both by dependencies.
 * A dependency that is called like the host is taken for the host.
 */
export function suppressorsOf(
  object: ObjectKey,
  suppressedBy: readonly string[],
  parents: readonly string[],
): readonly Suppressor[] {
  return suppressedBy.map((name) => {
    if (object.kind === "service" && object.host === name) return { kind: "host", name, role: "host" };
    if (object.kind === "host" && parents.includes(name)) return { kind: "host", name, role: "parent" };
    return { kind: "dependency", name };
  });
}
