import type { Result } from "@realmwatch/shared/model/result";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";

export type SnmpRequest = {
  /** IPv4 or IPv6 address, not a name. */
  readonly address: string;
  readonly port: number;
  /** Numeric OID without a leading dot. */
  readonly oid: string;
  readonly access: SnmpAccess;
  /** Time limit including the wait for other requests to the address, ms, above 0. */
  readonly timeoutMs: number;
};

/** Lossless value of a variable binding. */
export type SnmpValue =
  | { readonly kind: "integer" | "gauge" | "counter" | "ticks"; readonly value: bigint }
  /** Floating-point numbers, which net-snmp's agent sends as `Opaque`. */
  | { readonly kind: "real"; readonly value: number }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "oid" | "ip"; readonly value: string }
  | { readonly kind: "null" };

/** Reason why there is no value. `detail`: error name of the agent or the system, never a secret; mostly empty. */
export type SnmpFailure = { readonly kind: SnmpFailureKind; readonly detail: string };
export type SnmpFailureKind =
  /** No response before the time limit. */
  | "no_answer"
  /** The response could not be decoded. */
  | "malformed"
  /** The response does not match the request, or has less protection than requested. */
  | "wrong_answer"
  /** The time limit passed while the request waited for other requests to the same address. */
  | "no_slot"
  | "no_such_object"
  | "no_such_instance"
  | "end_of_mib"
  | "unknown_user"
  | "wrong_digest"
  | "unsupported_level"
  | "not_decrypted"
  | "not_in_time"
  /** The agent returned an error status; `detail` is its name. */
  | "refused"
  /** The system refused to send; `detail` is its code. */
  | "not_sent"
  | "aborted";

/** Reads single values from SNMP agents. */
export interface SnmpReader {
  /** Reads one value. Never rejects, and resolves at the latest when `timeoutMs` have passed. */
  get(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>>;
}
