import {
  type DescMessage,
  type DescMethod,
  type JsonObject,
  type JsonValue,
  type Message,
  toJson,
} from "@bufbuild/protobuf";
import { truncateText } from "../../text/truncate-text.ts";
import { documentHash } from "./document-hash.ts";

/** Maximum length of one text, and of all check results of a call together, in a record: UTF-16 units. */
const maxLength = 4096;
/** Maximum length of the name of a login, UTF-16 units: callers without an identity choose it. */
const maxUserLength = 256;
/**
 * Serializes a request for an audit record. Passwords are left out, configuration documents are replaced by their hash,
 * long texts are cut, and of many check results only the first ones are kept.
 */
export function auditJson(method: DescMethod, message: Message): string {
  const { results, request } = message as { results?: unknown; request?: Message & { results?: unknown } };
  if (Array.isArray(results))
    return JSON.stringify(cutResults(results, (some) => jsonOf(method.input, withResults(message, some))));
  // The aggregator's requests wrap the realm's request.
  if (!Array.isArray(request?.results)) return JSON.stringify(cutJson(jsonOf(method.input, message)));
  const serialize = (some: readonly unknown[]) =>
    jsonOf(method.input, { ...message, request: withResults(request, some) } as Message) as JsonObject;
  const cut = cutResults(request.results, (some) => serialize(some)["request"] ?? {});
  return JSON.stringify({ ...(cutJson(serialize([])) as JsonObject), request: cut });
}

/** Converts a message to JSON. A time beyond the range of JSON, which the call is refused for, is kept as its numbers. */
function jsonOf(desc: DescMessage, message: Message): JsonValue {
  try {
    return toJson(desc, message);
  } catch {
    return JSON.parse(JSON.stringify(message, (_, value) => (typeof value === "bigint" ? String(value) : value)));
  }
}

const withResults = (message: Message, results: readonly unknown[]): Message => ({ ...message, results }) as Message;

/** Serializes results one by one until the limit, since there may be thousands of which few are kept. */
function cutResults(results: readonly unknown[], serialize: (some: readonly unknown[]) => JsonValue): JsonObject {
  const included: JsonValue[] = [];
  let size = 0;
  for (const result of results) {
    const [one] = (serialize([result]) as { results: JsonValue[] }).results.map((json) => cutJson(json));
    size += JSON.stringify(one).length;
    if (size > maxLength && included.length > 0) break;
    included.push(one ?? null);
  }
  const more = results.length - included.length;
  return { results: included, ...(more > 0 && { resultsCut: more }) };
}

/** Returns the value with long texts cut and secrets removed; lists and objects are changed in place. */
function cutJson(value: JsonValue, name = ""): JsonValue {
  // The length of a password helps to guess it.
  if (name === "password") return "(left out)";
  if (typeof value === "string" && name === "cue") return `${documentHash(value)} (${value.length} characters)`;
  if (typeof value === "string")
    return name === "user" ? value.slice(0, maxUserLength).toWellFormed() : truncateText(value, maxLength);
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => cutJson(one));
  for (const key of Object.keys(value)) {
    const one = value[key] ?? null;
    const cut = cutJson(one, key);
    if (cut !== one) value[key] = cut;
  }
  return value;
}
