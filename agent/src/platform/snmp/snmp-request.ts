import type { Result } from "@realmwatch/shared/model/result";
import type { SnmpAccess } from "@realmwatch/shared/model/snmp-access";

export type SnmpRequest = {
  /** An IPv4 or IPv6 address, no name. */
  readonly address: string;
  readonly port: number;
  /** Numbers and dots, no leading dot. */
  readonly oid: string;
  readonly access: SnmpAccess;
  /** ms, above 0; waiting for a turn at the address is part of it. */
  readonly timeoutMs: number;
};

/** A value as it came, without loss. */
export type SnmpValue =
  | { readonly kind: "integer" | "gauge" | "counter" | "ticks"; readonly value: bigint }
  /** Floats, which net-snmp's agent wraps into `Opaque`. */
  | { readonly kind: "real"; readonly value: number }
  | { readonly kind: "bytes"; readonly value: Uint8Array }
  | { readonly kind: "oid" | "ip"; readonly value: string }
  | { readonly kind: "null" };

/** Why there is no value. `detail` is the agent's or the system's own word for it, never a secret; mostly empty. */
export type SnmpFailure = { readonly kind: SnmpFailureKind; readonly detail: string };
export type SnmpFailureKind =
  /** Nothing came, or nothing in time. */
  | "no_answer"
  /** What came could not be read. */
  | "malformed"
  /** What came is no answer to what was asked, or was less protected than asked for. */
  | "wrong_answer"
  /** All the time passed in waiting for other requests to the same address. */
  | "crowded"
  | "no_such_object"
  | "no_such_instance"
  | "end_of_mib"
  | "unknown_user"
  | "wrong_digest"
  | "unsupported_level"
  | "not_decrypted"
  | "not_in_time"
  /** The agent answered with an error status; `detail` is its name. */
  | "refused"
  /** The system refused to send; `detail` is its code. */
  | "not_sent"
  | "aborted";

/** Reads single values from SNMP agents. */
export interface SnmpReader {
  /** One value. Never rejects, and answers at the latest when `timeoutMs` have passed. */
  get(request: SnmpRequest, signal: AbortSignal): Promise<Result<SnmpValue, SnmpFailure>>;
}
