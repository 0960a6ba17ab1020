import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";
import { never } from "../../model/never.ts";
import type { ObjectKey } from "../../model/object-key.ts";
import { malformed, type Refusal } from "../../model/refusal.ts";
import { ok, type Result } from "../../model/result.ts";
import { type FieldCodec, requiredField } from "./field-codec.ts";

export const objectKeyToProto = (key: ObjectKey): ObjectRef => ({ $typeName: "svc.v1.ObjectRef", ref: variantOf(key) });

/**
 * Converts an object reference to an object key. The variant of the reference determines the kind.
 *
 * @returns undefined when `proto` is unset; `malformed` when it has no variant, an unknown variant of a newer release
 *          or an empty name
 */
export function objectKeyFromProto(
  field: string,
  proto: ObjectRef | undefined,
): Result<ObjectKey | undefined, Refusal> {
  if (proto === undefined) return ok(undefined);
  const { ref } = proto;
  switch (ref.case) {
    case "host":
      return named(`${field}.host`, { kind: "host", name: ref.value.name });
    case "service":
      if (ref.value.host === "") return malformed(`${field}.service.host`, "is empty");
      return named(`${field}.service`, { kind: "service", host: ref.value.host, name: ref.value.name });
    case "process":
      return named(`${field}.process`, { kind: "process", name: ref.value.name });
    case undefined:
      return malformed(field, "names no host, service or process");
    default:
      return never(ref);
  }
}

const named = (field: string, key: ObjectKey): Result<ObjectKey, Refusal> =>
  key.name === "" ? malformed(`${field}.name`, "is empty") : ok(key);

function variantOf(key: ObjectKey): ObjectRef["ref"] {
  switch (key.kind) {
    case "host":
      return { case: "host", value: { $typeName: "svc.v1.HostRef", name: key.name } };
    case "service":
      return { case: "service", value: { $typeName: "svc.v1.ServiceRef", host: key.host, name: key.name } };
    case "process":
      return { case: "process", value: { $typeName: "svc.v1.ProcessRef", name: key.name } };
    default:
      return never(key);
  }
}

/** Reference to an object; undefined when it is unset. */
export const optionalObjectField: FieldCodec<ObjectKey | undefined, ObjectRef | undefined> = {
  blank: undefined,
  toProto: (key) => key && objectKeyToProto(key),
  fromProto: (proto, reader, field) => reader.take(objectKeyFromProto(field, proto), undefined),
};
export const objectField = requiredField<ObjectKey, ObjectRef | undefined>(optionalObjectField, {
  kind: "host",
  name: "",
});
