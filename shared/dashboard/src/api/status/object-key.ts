import { create } from "@bufbuild/protobuf";
import { type ObjectRef, ObjectRefSchema } from "@realmwatch/proto/svc/v1/common_pb";
import { never } from "@realmwatch/shared/model/never";
import type { ObjectKey } from "@realmwatch/shared/model/object-key";

/** The object's reference as the configuration writes it, unique within a realm: `web1`, `web1!http`, `process:shop`. */
function objectRefText(key: ObjectKey): string {
  if (key.kind === "service") return `${key.host}!${key.name}`;
  return key.kind === "process" ? `process:${key.name}` : key.name;
}

/** Id that is unique over all realms, because realm names hold no slash: key of maps, selections and React elements. */
export const objectIdOf = (realm: string, key: ObjectKey): string => `${realm}/${objectRefText(key)}`;

/** The key of a reference on the wire; undefined for a kind of object that only a newer server has. */
export function keyOfWireRef(object: ObjectRef | undefined): ObjectKey | undefined {
  switch (object?.ref.case) {
    case "host":
      return { kind: "host", name: object.ref.value.name };
    case "service":
      return { kind: "service", host: object.ref.value.host, name: object.ref.value.name };
    case "process":
      return { kind: "process", name: object.ref.value.name };
    default:
      return undefined;
  }
}

export function wireRefOf(key: ObjectKey): ObjectRef {
  switch (key.kind) {
    case "host":
      return create(ObjectRefSchema, { ref: { case: "host", value: { name: key.name } } });
    case "service":
      return create(ObjectRefSchema, { ref: { case: "service", value: { host: key.host, name: key.name } } });
    case "process":
      return create(ObjectRefSchema, { ref: { case: "process", value: { name: key.name } } });
    default:
      return never(key);
  }
}

const processPrefix = "process:";

/** Parses the path of an object's page: `<host>`, `<host>/<service>` or `process:<name>`. */
export function keyOfPath(object: string, service: string | undefined): ObjectKey {
  if (service !== undefined) return { kind: "service", host: object, name: service };
  return object.startsWith(processPrefix)
    ? { kind: "process", name: object.slice(processPrefix.length) }
    : { kind: "host", name: object };
}

/** The object's name in one line: `web1 › http`. */
export const formatObjectName = (object: ObjectKey): string =>
  object.kind === "service" ? `${object.host} › ${object.name}` : object.name;
