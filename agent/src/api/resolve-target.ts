import type { ObjectRefs, Target } from "@realmwatch/proto/svc/v1/common_pb";
import { formatKey, refOf } from "@realmwatch/shared/model/object-key";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { nameProblem } from "@realmwatch/shared/text/object-name";
import { formatSelectorError, parseSelector } from "@realmwatch/shared/text/selector/selector";
import { objectKeyFromProto } from "@realmwatch/shared/wire/fields/object-ref";
import type { ReadonlyRecord, RealmReader } from "../realm/state/realm-reader.ts";

export const malformed = (field: string, why: string): { readonly ok: false; readonly error: Refusal } =>
  fail({ kind: "malformed", field, why });
export const missing = (field: string, what: string): { readonly ok: false; readonly error: Refusal } =>
  fail({ kind: "missing", what: `${field}: ${what}` });

/** Object that a request names. Refused when it is missing or does not exist. */
export function resolveObject(
  realm: RealmReader,
  field: string,
  wire: Parameters<typeof objectKeyFromProto>[1],
): Result<ReadonlyRecord, Refusal> {
  const key = objectKeyFromProto(field, wire);
  if (!key.ok) return key;
  if (key.value === undefined) return malformed(field, "is required");
  const problem = [key.value.name, "host" in key.value ? key.value.host : ""].map(nameProblem).find(Boolean);
  if (problem !== undefined) return malformed(field, `the name has ${problem}`);
  const record = realm.records.get(refOf(key.value));
  return record === undefined ? missing(field, formatKey(key.value)) : ok(record);
}

function select(realm: RealmReader, text: string): Result<readonly ReadonlyRecord[], Refusal> {
  const selector = parseSelector(text);
  if (!selector.ok) return malformed("target.selector", formatSelectorError(selector.error));
  const matches = realm.recordsMatching(selector.value);
  return matches.length === 0
    ? missing("target.selector", `an object that ${JSON.stringify(text)} selects`)
    : ok(matches);
}

/** Maximum number of objects in a list. */
const maxListedObjects = 10_000;

/** [CM1] Objects of a list, each once; refused as a whole when one of them, or with `skipMissing` all, do not exist. */
function resolveList(
  realm: RealmReader,
  { objects: listed, skipMissing }: ObjectRefs,
): Result<readonly ReadonlyRecord[], Refusal> {
  if (listed.length === 0) return malformed("target.objects", "is empty");
  if (listed.length > maxListedObjects)
    return malformed("target.objects", `has ${listed.length} objects; at most ${maxListedObjects} are allowed`);
  const records = new Set<ReadonlyRecord>();
  let firstMissing: Result<never, Refusal> | undefined;
  for (const [at, ref] of listed.entries()) {
    const record = resolveObject(realm, `target.objects[${at}]`, ref);
    if (record.ok) records.add(record.value);
    else if (skipMissing && record.error.kind === "missing") firstMissing ??= record;
    else return record;
  }
  return records.size === 0 && firstMissing !== undefined ? firstMissing : ok([...records]);
}

/** Objects of a target in the plan's order; at least one. */
export function resolveTarget(
  realm: RealmReader,
  target: Target | undefined,
): Result<readonly ReadonlyRecord[], Refusal> {
  switch (target?.target.case) {
    case "object": {
      const record = resolveObject(realm, "target.object", target.target.value);
      return record.ok ? ok([record.value]) : record;
    }
    case "selector":
      return select(realm, target.target.value);
    case "objects":
      return resolveList(realm, target.target.value);
    default:
      return malformed("target", "is required: an object, a selector or a list of objects");
  }
}

/** References of the objects of a target; at least one. */
export function resolveRefs(realm: RealmReader, target: Target | undefined): Result<readonly string[], Refusal> {
  const records = resolveTarget(realm, target);
  return records.ok ? ok(records.value.map(({ plan }) => plan.ref)) : records;
}
