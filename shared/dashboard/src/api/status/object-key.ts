import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { keyOf, type ObjectKey, refOf } from "@realmwatch/shared/model/object-key";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";

/** Id that is unique over all realms, because realm names hold no slash: key of maps, selections and React elements. */
export const objectIdOf = (realm: string, key: ObjectKey): string => `${realm}/${refOf(key)}`;

/** The key of a reference on the wire; undefined for a kind of object that only a newer server has. */
export function keyOfWireRef(object: ObjectRef | undefined): ObjectKey | undefined {
  const key = objectKeyFromProto("object", object);
  return key.ok ? key.value : undefined;
}

/** Id of a referenced object, as of `objectIdOf`; undefined for a kind of object that only a newer server has. */
export function idOfWireRef(realm: string, object: ObjectRef | undefined): string | undefined {
  const key = keyOfWireRef(object);
  return key && objectIdOf(realm, key);
}

/** Search parameter of a realm; none for an agent, which has one realm without a name. */
export const realmSearch = (realm: string): { realm?: string } => (realm === "" ? {} : { realm });

/** Parses the path of an object's page: `<host>`, `<host>/<service>` or `process:<name>`. */
export function keyOfPath(object: string, service: string | undefined): ObjectKey {
  return service === undefined ? keyOf(object) : { kind: "service", host: object, name: service };
}

/** The object's name in one line: `web1 › http`. */
export const formatObjectName = (object: ObjectKey): string =>
  object.kind === "service" ? `${object.host} › ${object.name}` : object.name;

/** Selector of the objects of which a property is one of some values: `@host in ("web1","web2")`. */
export const oneOfSelector = (key: string, values: readonly string[]): string =>
  `${key} in (${values.map(quoteSelectorValue).join(",")})`;

/** Quotes a selector value, so that it may hold any characters. */
export const quoteSelectorValue = (value: string): string =>
  `"${value.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
