import { never } from "./never.ts";

export type HostKey = { readonly kind: "host"; readonly name: string };
export type ServiceKey = { readonly kind: "service"; readonly host: string; readonly name: string };
export type ProcessKey = { readonly kind: "process"; readonly name: string };
/** Key of one monitored object of a realm. */
export type ObjectKey = HostKey | ServiceKey | ProcessKey;
export type ObjectKind = ObjectKey["kind"];

const kinds = { host: true, service: true, process: true } satisfies Record<ObjectKind, true>;
/** All object kinds; an omitted one does not compile. */
export const objectKinds = Object.keys(kinds) as readonly ObjectKind[];

/**
 * The object's reference as the configuration writes it: `web1`, `web1!http`, `process:shop`.
 * Unique within a realm, because host names hold no `!` and do not begin with `process:`; the maps of
 * engine, journal and read model are keyed by it.
 */
export function refOf(key: ObjectKey): string {
  switch (key.kind) {
    case "host":
      return key.name;
    case "service":
      return `${key.host}!${key.name}`;
    case "process":
      return `process:${key.name}`;
    default:
      return never(key);
  }
}

/** The reverse of `refOf`. Accepts any text, whether such an object exists or not. */
export function keyOf(ref: string): ObjectKey {
  if (ref.startsWith("process:")) return { kind: "process", name: ref.slice("process:".length) };
  const at = ref.indexOf("!");
  return at < 0 ? { kind: "host", name: ref } : { kind: "service", host: ref.slice(0, at), name: ref.slice(at + 1) };
}

/** Formats the key for use in a sentence: `host "web1"`, `service "http" on host "web1"`, `process "shop"`. */
export function formatKey(key: ObjectKey): string {
  const name = JSON.stringify(key.name);
  return key.kind === "service" ? `service ${name} on host ${JSON.stringify(key.host)}` : `${key.kind} ${name}`;
}
