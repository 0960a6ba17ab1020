import type { ObjectRef } from "@realmwatch/proto/svc/v1/common_pb";

/** Objects of one realm. */
type Listed = { readonly realm: string; readonly objects: ObjectRef[] };

/** Objects of realms for one call, each with its part of that number. */
type ListCall = { readonly objects: Listed[]; readonly part: number };

/** Largest list of a realm in one command, and of one call: half of the size that a request may have, bytes. */
const maxListed = { objects: 10_000, bytes: 512 * 1024 } as const;

/** Bytes of a reference in JSON beside its names, at most. */
const bytesBesideNames = 48;
const utf8 = new TextEncoder();

const bytesOf = ({ ref }: ObjectRef): number =>
  bytesBesideNames +
  (ref.case === undefined ? 0 : utf8.encode(ref.value.name).length) +
  (ref.case === "service" ? utf8.encode(ref.value.host).length : 0);

/** Objects of a realm in parts that a command takes. Equal objects have equal parts, so that a repeat has the same ones. */
export function partsOf(objects: readonly ObjectRef[]): readonly ObjectRef[][] {
  const parts: ObjectRef[][] = [];
  let bytes = 0;
  for (const object of objects) {
    const own = bytesOf(object);
    const last = parts.at(-1);
    if (last === undefined || last.length === maxListed.objects || bytes + own > maxListed.bytes) {
      parts.push([object]);
      bytes = own;
    } else {
      last.push(object);
      bytes += own;
    }
  }
  return parts;
}

/** Calls for the objects of many realms: as few as the size of a request allows. */
export function listCallsOf(realms: readonly Listed[]): readonly ListCall[] {
  const calls: ListCall[] = [];
  const sizes = new Map<ListCall, number>();
  for (const { realm, objects } of realms)
    for (const [part, own] of partsOf(objects).entries()) {
      const size = own.reduce((sum, object) => sum + bytesOf(object), 0);
      const fitting = calls.find((call) => call.part === part && (sizes.get(call) ?? 0) + size <= maxListed.bytes);
      const call = fitting ?? { objects: [], part };
      if (fitting === undefined) calls.push(call);
      call.objects.push({ realm, objects: own });
      sizes.set(call, (sizes.get(call) ?? 0) + size);
    }
  return calls;
}
