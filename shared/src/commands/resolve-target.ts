import type { ObjectRefs, Target } from "@realmwatch/proto/svc/v1/common_pb";
import { formatKey, refOf } from "../model/object-key.ts";
import { malformed, type Refusal } from "../model/refusal.ts";
import { fail, ok, type Result } from "../model/result.ts";
import { nameProblem } from "../text/object-name.ts";
import { formatSelectorError, parseSelector } from "../text/selector/selector.ts";
import { objectKeyFromProto } from "../wire/fields/object-ref.ts";
import type { CommandObject, CommandRealm } from "./command-realm.ts";

export const missing = (field: string, what: string): { readonly ok: false; readonly error: Refusal } =>
  fail({ kind: "missing", what: `${field}: ${what}` });

/** Object that a request names. Refused when it is missing or does not exist. */
export function resolveObject(
  realm: CommandRealm,
  field: string,
  wire: Parameters<typeof objectKeyFromProto>[1],
): Result<CommandObject, Refusal> {
  const key = objectKeyFromProto(field, wire);
  if (!key.ok) return key;
  if (key.value === undefined) return malformed(field, "is required");
  const problem = [key.value.name, "host" in key.value ? key.value.host : ""].map(nameProblem).find(Boolean);
  if (problem !== undefined) return malformed(field, `the name has ${problem}`);
  const record = realm.records.get(refOf(key.value));
  return record === undefined ? missing(field, formatKey(key.value)) : ok(record);
}

function select(realm: CommandRealm, text: string): Result<readonly CommandObject[], Refusal> {
  const selector = parseSelector(text);
  if (!selector.ok) return malformed("target.selector", formatSelectorError(selector.error));
  const matches = realm.recordsMatching(selector.value);
  return matches.length === 0 ? fail({ kind: "unmatched", field: "target.selector", selector: text }) : ok(matches);
}

/** Maximum number of objects in a list. */
const maxListedObjects = 10_000;

/** [CM1] Objects of a list, each once; refused as a whole when one of them, or with `skipMissing` all, do not exist. */
function resolveList(
  realm: CommandRealm,
  { objects: listed, skipMissing }: ObjectRefs,
): Result<readonly CommandObject[], Refusal> {
  if (listed.length === 0) return malformed("target.objects", "is empty");
  if (listed.length > maxListedObjects)
    return malformed("target.objects", `has ${listed.length} objects; at most ${maxListedObjects} are allowed`);
  const records = new Set<CommandObject>();
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
  realm: CommandRealm,
  target: Target | undefined,
): Result<readonly CommandObject[], Refusal> {
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

/** Parses a command on the objects of a target; `make` gets their references, at least one. */
export function parseTargeted<C>(
  realm: CommandRealm,
  target: Target | undefined,
  make: (refs: readonly string[]) => C,
): Result<C, Refusal> {
  const records = resolveTarget(realm, target);
  return records.ok ? ok(make(records.value.map(({ plan }) => plan.ref))) : records;
}
