import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import { keyOf, type ObjectKey } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";

/** Parses `HOST`, `HOST!SERVICE` or `process:NAME`, no part empty. @returns on failure a sentence with the text */
export function readObject(text: string): Result<ObjectKey, string> {
  const key = keyOf(text);
  const isWhole = key.name !== "" && (key.kind !== "service" || key.host !== "");
  return isWhole ? ok(key) : fail(`${JSON.stringify(text)} is not an object: write HOST, HOST!SERVICE or process:NAME`);
}

/** Parses the target of a command: an object or a `-selector`, exactly one of the two. */
export function readTarget(text: string | undefined, selector: string | undefined): Result<Target, string> {
  if (text !== undefined && selector !== undefined) return fail("a target and -selector exclude each other");
  if (selector !== undefined) return ok(targetOf({ case: "selector", value: selector }));
  if (text === undefined) return fail("a target is required: HOST, HOST!SERVICE, process:NAME or -selector EXPR");
  const key = readObject(text);
  return key.ok ? ok(targetOf({ case: "object", value: objectKeyToProto(key.value) })) : key;
}

const targetOf = (target: Target["target"]): Target => ({ $typeName: "svc.v1.Target", target });
