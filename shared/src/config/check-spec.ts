import type { SnmpAccess } from "../model/snmp-access.ts";
import type { StartTls } from "./start-tls.ts";

/** A schedule with its numbers resolved. All spans in ms, above 0. */
export type SchedulePlan = {
  readonly checkIntervalMs: number;
  readonly retryIntervalMs: number;
  readonly timeoutMs: number;
  /** At least 1. */
  readonly maxAttempts: number;
  /** Timeperiod name; empty means always. */
  readonly checkPeriod: string;
};

export type FlapPlan = {
  readonly enabled: boolean;
  /** In (0, 1]. */
  readonly alpha: number;
  readonly highThreshold: number;
  readonly lowThreshold: number;
  readonly notifyOnFlapStop: boolean;
};

export type TcpSpec = { readonly type: "tcp"; readonly host: string; readonly port: number };
export type HttpSpec = { readonly type: "http"; readonly url: string };
export type DnsSpec = { readonly type: "dns"; readonly host: string; readonly port: number; readonly name: string };
export type IcmpSpec = { readonly type: "icmp"; readonly host: string };
export type TlsSpec = {
  readonly type: "tls";
  readonly host: string;
  readonly port: number;
  /** What to ask in before TLS begins. Absent: TLS from the first byte. */
  readonly startTls?: StartTls;
  readonly warnWithinMs: number;
  readonly critWithinMs: number;
};
export type SnmpSpec = {
  readonly type: "snmp";
  readonly address: string;
  readonly oid: string;
  readonly access: SnmpAccess;
  /** Threshold ranges in monitoring-plugins' spelling, already checked; empty means none. */
  readonly warn: string;
  readonly crit: string;
  readonly expect: string;
  readonly label: string;
  readonly uom: string;
};
export type LegacySpec = { readonly type: "legacy"; readonly path: string; readonly args: readonly string[] };
export type WasmSpec = { readonly type: "wasm"; readonly module: string; readonly args: readonly string[] };
export type CommandSpec = { readonly type: "command"; readonly command: string; readonly args: readonly string[] };
export type PassiveSpec = {
  readonly type: "passive";
  readonly freshnessThresholdMs: number;
  readonly staleStatus: "unknown" | "warning" | "critical";
};

/** What a check does, resolved and checked. */
export type CheckSpec =
  | TcpSpec
  | HttpSpec
  | DnsSpec
  | IcmpSpec
  | TlsSpec
  | SnmpSpec
  | LegacySpec
  | WasmSpec
  | CommandSpec
  | PassiveSpec;
export type CheckType = CheckSpec["type"];
/** Every type that the agent runs itself. */
export type ActiveCheckSpec = Exclude<CheckSpec, PassiveSpec>;

export const checkTypeNames = [
  "command",
  "dns",
  "http",
  "icmp",
  "legacy",
  "passive",
  "snmp",
  "tcp",
  "tls",
  "wasm",
] as const satisfies readonly CheckType[];
