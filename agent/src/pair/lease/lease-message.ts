import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { memberNamePattern } from "../member-name.ts";
import type { Lease } from "./lease-store.ts";

/** Maximum size of a lease, bytes; the stream refuses larger ones. */
const maxLeaseBytes = 4_096;
const instancePattern = /^[!-~]{1,128}$/;

/** Encodes a lease as JSON. */
export const encodeLease = (lease: Lease): Uint8Array => Buffer.from(JSON.stringify(lease));

/** Decodes a lease. Further fields are ignored. Fails with the end of a sentence about the message. */
export function decodeLease(data: Uint8Array): Result<Lease, string> {
  if (data.length > maxLeaseBytes) return fail(`has ${data.length} bytes, more than ${maxLeaseBytes}`);
  const fields = parseObject(Buffer.from(data).toString("utf8"));
  if (fields === undefined) return fail("is not a JSON object");
  const { member, instance, term, epoch, inSync, goodbye, at, leaseMs } = fields;
  if (typeof member !== "string" || !memberNamePattern.test(member)) return fail("names no member");
  if (typeof instance !== "string" || !instancePattern.test(instance)) return fail("names no instance");
  if (!isCount(term) || term === 0) return fail("has no term above 0");
  if (!isCount(epoch) || epoch === 0) return fail("has no epoch above 0");
  if (typeof inSync !== "boolean" || typeof goodbye !== "boolean") return fail("does not say inSync and goodbye");
  if (!isCount(at)) return fail("has no time in at");
  return ok({ member, instance, term, epoch, inSync, goodbye, at, ...(isCount(leaseMs) && { leaseMs }) });
}

function parseObject(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === "object" && value !== null ? (value as Readonly<Record<string, unknown>>) : undefined;
  } catch {
    return undefined;
  }
}

/** True for a whole number from 0. */
export const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
