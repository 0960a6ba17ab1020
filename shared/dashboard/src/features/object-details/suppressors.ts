import type { ObjectKey } from "@realmwatch/shared/model/object-key";

/** Host or dependency that suppresses the notifications of an object. */
type Suppressor =
  | { readonly kind: "host"; readonly name: string; readonly role: "host" | "parent" }
  /** A dependency is an entry of the configuration, not a monitored object. */
  | { readonly kind: "dependency"; readonly name: string };

/**
 * Classifies the names of `suppressedBy`: a service's host, a host's parents, else dependencies. A dependency with the
 * name of the host is taken for the host.
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
