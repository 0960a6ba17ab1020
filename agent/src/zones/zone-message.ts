import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { isStruct } from "@realmwatch/shared/text/json-values";

const utf8 = new TextEncoder();
const strictUtf8 = new TextDecoder("utf-8", { fatal: true });

export const encodeZoneMessage = (message: object): Uint8Array => utf8.encode(JSON.stringify(message));

/** Decodes a message between agent and worker, which must have `version`. */
export function decodeZoneMessage(
  data: Uint8Array,
  version: number,
): Result<Readonly<Record<string, unknown>>, string> {
  const message = parse(data);
  if (!isStruct(message)) return fail("the message is not a JSON object");
  return message["version"] === version
    ? ok(message)
    : fail(
        `it uses version ${version} of the messages between agents and workers, the other side ` +
          `${JSON.stringify(message["version"])}: run the same release on both`,
      );
}

function parse(data: Uint8Array): unknown {
  try {
    return JSON.parse(strictUtf8.decode(data));
  } catch {
    return undefined;
  }
}

export const isNameToText = (value: unknown): value is Record<string, string> =>
  isStruct(value) && Object.values(value).every((text) => typeof text === "string");
