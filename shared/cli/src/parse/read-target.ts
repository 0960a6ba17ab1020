import type { Target } from "@realmwatch/proto/svc/v1/common_pb";
import { keyOf, type ObjectKey } from "@realmwatch/shared/model/object-key";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { objectKeyToProto } from "@realmwatch/shared/wire/fields/object-ref";

/** `HOST`, `HOST!SERVICE` or `process:NAME`, no part of it empty. @returns else a sentence that quotes the text */
export function readObject(text: string): Result<ObjectKey, string> {
  const key = keyOf(text);
  const isWhole = key.name !== "" && (key.kind !== "service" || key.host !== "");
  return isWhole ? ok(key) : fail(`${JSON.stringify(text)} names no object: write HOST, HOST!SERVICE or process:NAME`);
}

/** What a command acts on: an object, or all that `-selector` matches; exactly one of the two. */
export function readTarget(word: string | undefined, selector: string | undefined): Result<Target, string> {
  if (word !== undefined && selector !== undefined) return fail("a target and -selector are both given: give one");
  if (selector !== undefined) return ok(targetOf({ case: "selector", value: selector }));
  if (word === undefined) return fail("a target is needed: HOST, HOST!SERVICE, process:NAME or -selector EXPR");
  const key = readObject(word);
  return key.ok ? ok(targetOf({ case: "object", value: objectKeyToProto(key.value) })) : key;
}

const targetOf = (target: Target["target"]): Target => ({ $typeName: "svc.v1.Target", target });
