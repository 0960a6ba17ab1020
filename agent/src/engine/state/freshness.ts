import type { PassiveSpec } from "@realmwatch/shared/config/check-spec";
import type { CheckResult } from "../input.ts";
import { derivedResult } from "./derived-result.ts";

/** [FR1] Since when silence would be stale. */
export const staleAtMs = (freshFromMs: number, spec: PassiveSpec): number => freshFromMs + spec.freshnessThresholdMs;

/** [FR2] What silence says: the configured status, and how long nothing was heard. */
export function staleResult(spec: PassiveSpec, silentSinceMs: number, nowMs: number): CheckResult {
  const seconds = Math.round((nowMs - silentSinceMs) / 1000);
  const output = `no result for ${seconds} s (expected at least every ${spec.freshnessThresholdMs / 1000} s)`;
  return derivedResult({ status: spec.staleStatus, output, origin: "stale" }, nowMs);
}
