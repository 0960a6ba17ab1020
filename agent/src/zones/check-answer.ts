import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import type { CheckStatus } from "@realmwatch/shared/model/status";
import { zoneVersion } from "./check-offer.ts";
import { decodeZoneMessage, encodeZoneMessage, isRecord } from "./zone-message.ts";

/** What a worker says to an offer. */
export type CheckAnswer =
  /** It runs; what comes of it follows. Not said where that comes soon. */
  | { readonly kind: "taken" }
  | { readonly kind: "done"; readonly outcome: Outcome /** ms */; readonly executionMs: number }
  /** It has no place, or is about to end: another one may take it. */
  | { readonly kind: "declined" }
  /** It will not run this, whoever asks again. */
  | { readonly kind: "refused"; readonly why: string };

export const encodeCheckAnswer = (worker: string, answer: CheckAnswer): Uint8Array =>
  encodeZoneMessage({ version: zoneVersion, worker, ...answer });

/** Reads an answer; why it makes no sense otherwise. */
export function decodeCheckAnswer(
  data: Uint8Array,
): Result<{ readonly worker: string; readonly answer: CheckAnswer }, string> {
  const message = decodeZoneMessage(data, zoneVersion);
  if (!message.ok) return fail(`the worker's answer cannot be read: ${message.error}`);
  const { worker, kind, why, executionMs, outcome } = message.value;
  const answer = readKind({ kind, why, executionMs, outcome });
  return typeof worker === "string" && answer !== undefined
    ? ok({ worker, answer })
    : fail("the worker's answer lacks something");
}

function readKind({ kind, why, executionMs, outcome }: Readonly<Record<string, unknown>>): CheckAnswer | undefined {
  if (kind === "taken" || kind === "declined") return { kind };
  if (kind === "refused") return typeof why === "string" ? { kind, why } : undefined;
  const read = readOutcome(outcome);
  return kind === "done" && read !== undefined && typeof executionMs === "number"
    ? { kind, outcome: read, executionMs }
    : undefined;
}

function readOutcome(value: unknown): Outcome | undefined {
  if (!isRecord(value)) return undefined;
  const { status, output, longOutput, perfdata } = value;
  if (!isStatus(status) || typeof output !== "string" || typeof longOutput !== "string") return undefined;
  if (!Array.isArray(perfdata)) return undefined;
  const points = perfdata.map(readPoint);
  return points.every((point) => point !== undefined) ? { status, output, longOutput, perfdata: points } : undefined;
}

const statuses: readonly CheckStatus[] = ["ok", "warning", "critical", "unknown"];
const isStatus = (value: unknown): value is CheckStatus => statuses.some((status) => status === value);

function readPoint(value: unknown): PerfPoint | undefined {
  if (!isRecord(value)) return undefined;
  const { label, uom, warn, crit } = value;
  if (typeof label !== "string" || typeof uom !== "string") return undefined;
  if (typeof warn !== "string" || typeof crit !== "string") return undefined;
  // JSON has no word for what is not there.
  const number = (name: string): number | undefined => {
    const given = value[name];
    return typeof given === "number" ? given : undefined;
  };
  return { label, uom, warn, crit, value: number("value"), min: number("min"), max: number("max") };
}
