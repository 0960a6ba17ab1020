import type { Outcome } from "@realmwatch/shared/model/outcome";
import type { PerfPoint } from "@realmwatch/shared/model/perfdata";
import { fail, ok, type Result } from "@realmwatch/shared/model/result";
import { type CheckStatus, checkStatuses } from "@realmwatch/shared/model/status";
import { isStruct } from "@realmwatch/shared/text/json-values";
import { replaceUnprintable } from "@realmwatch/shared/text/unprintable";
import { zoneVersion } from "./check-offer.ts";
import { decodeZoneMessage, encodeZoneMessage } from "./zone-message.ts";

/** Answer of a worker to an offered check. */
export type CheckAnswer =
  /** The check is running and `done` follows. Sent only for checks that take a while. */
  | { readonly kind: "taken" }
  | { readonly kind: "done"; readonly outcome: Outcome; readonly executionMs: number }
  /** The worker has no free slot or is stopping: another one may take the check. */
  | { readonly kind: "declined" }
  /** The worker cannot run this check: a repeated offer is useless. */
  | { readonly kind: "refused"; readonly why: string };

/** @param epoch epoch of the offer, if it has one */
export const encodeCheckAnswer = (worker: string, answer: CheckAnswer, epoch?: number): Uint8Array =>
  encodeZoneMessage({ version: zoneVersion, worker, ...answer, ...(epoch === undefined ? {} : { epoch }) });

/** Decodes an answer. The error is a sentence. */
export function decodeCheckAnswer(
  data: Uint8Array,
): Result<{ readonly worker: string; readonly answer: CheckAnswer; readonly epoch?: number }, string> {
  const message = decodeZoneMessage(data, zoneVersion);
  if (!message.ok) return fail(`the worker's answer cannot be read: ${message.error}`);
  const { worker, kind, why, executionMs, outcome, epoch } = message.value;
  const answer = decodeKind({ kind, why, executionMs, outcome });
  return typeof worker === "string" && answer !== undefined
    ? ok({ worker, answer, ...(typeof epoch === "number" ? { epoch } : {}) })
    : fail("the worker's answer is incomplete");
}

function decodeKind({ kind, why, executionMs, outcome }: Readonly<Record<string, unknown>>): CheckAnswer | undefined {
  if (kind === "taken" || kind === "declined") return { kind };
  if (kind === "refused") return typeof why === "string" ? { kind, why } : undefined;
  const decoded = decodeOutcome(outcome);
  return kind === "done" && decoded !== undefined && typeof executionMs === "number"
    ? { kind, outcome: decoded, executionMs }
    : undefined;
}

function decodeOutcome(value: unknown): Outcome | undefined {
  if (!isStruct(value)) return undefined;
  const { status, output, longOutput, perfdata } = value;
  if (!isStatus(status) || typeof output !== "string" || typeof longOutput !== "string") return undefined;
  if (!Array.isArray(perfdata)) return undefined;
  const points = perfdata.map(decodePoint);
  return points.every((point) => point !== undefined) ? { status, output, longOutput, perfdata: points } : undefined;
}

const isStatus = (value: unknown): value is CheckStatus => checkStatuses.some((status) => status === value);

function decodePoint(value: unknown): PerfPoint | undefined {
  if (!isStruct(value)) return undefined;
  const { label, uom, warn, crit } = value;
  if (typeof label !== "string" || typeof uom !== "string") return undefined;
  if (typeof warn !== "string" || typeof crit !== "string") return undefined;
  // JSON omits undefined fields.
  const number = (name: string): number | undefined => {
    const given = value[name];
    return typeof given === "number" ? given : undefined;
  };
  // A worker may be older, or not one of ours.
  return {
    label: replaceUnprintable(label, "\ufffd"),
    uom,
    warn,
    crit,
    value: number("value"),
    min: number("min"),
    max: number("max"),
  };
}
