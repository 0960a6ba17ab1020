import { type DescMethod, type JsonObject, type JsonValue, type Message, toJson } from "@bufbuild/protobuf";
import { cutText } from "../../text/cut-text.ts";

/** What a record keeps of one text, and of all check results of a call together: UTF-16 units. */
const longest = 4096;
/** Never kept: what is in them lets somebody in, or holds what does. */
const hidden = new Set(["password", "cue"]);

/**
 * A request as an audit record keeps it. Passwords and whole documents are left out but for their size, long texts are
 * cut, and of many check results the first ones are kept.
 */
export function auditJson(method: DescMethod, message: Message): string {
  const { results, request } = message as { results?: unknown; request?: Message & { results?: unknown } };
  if (Array.isArray(results))
    return JSON.stringify(cutResults(results, (some) => toJson(method.input, withResults(message, some))));
  // The aggregator's wrapping of the same.
  if (!Array.isArray(request?.results)) return JSON.stringify(cutJson(toJson(method.input, message)));
  const show = (some: readonly unknown[]) =>
    toJson(method.input, { ...message, request: withResults(request, some) } as Message) as JsonObject;
  const cut = cutResults(request.results, (some) => show(some)["request"] ?? {});
  return JSON.stringify({ ...(cutJson(show([])) as JsonObject), request: cut });
}

const withResults = (message: Message, results: readonly unknown[]): Message => ({ ...message, results }) as Message;

/** Results are turned into JSON a few at a time, since there may be thousands of which few are kept. */
function cutResults(results: readonly unknown[], show: (some: readonly unknown[]) => JsonValue): JsonObject {
  const kept: JsonValue[] = [];
  let size = 0;
  for (const result of results) {
    const [one] = (show([result]) as { results: JsonValue[] }).results.map((json) => cutJson(json));
    size += JSON.stringify(one).length;
    if (size > longest && kept.length > 0) break;
    kept.push(one ?? null);
  }
  const more = results.length - kept.length;
  return { results: kept, ...(more > 0 && { resultsCut: more }) };
}

/** Answers the value, its parts cut in place. */
function cutJson(value: JsonValue, name = ""): JsonValue {
  if (hidden.has(name)) return `(${typeof value === "string" ? `${value.length} characters` : "something"} left out)`;
  if (typeof value === "string") return cutText(value, longest);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => cutJson(one));
  for (const key of Object.keys(value)) {
    const one = value[key] ?? null;
    const cut = cutJson(one, key);
    if (cut !== one) value[key] = cut;
  }
  return value;
}
