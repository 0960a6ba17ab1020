import {
  awaitedRealms,
  type BulkRun,
  countsOf,
  isComplete,
  isFollowed,
  isVisibilityLate,
} from "../../api/commands/bulk-run.ts";
import { formatTimeSpan } from "../time/format-time-span.ts";

/** Largest number of realms that a line names; more are a count. */
const maxNamed = 3;

/** The command with the number of its objects, and after the answer those that were accepted, with their realms. */
export function bulkHeadline({ label, realms, settledAtMs }: BulkRun): string {
  const { total, accepted, unknown } = countsOf({ realms });
  if (settledAtMs === undefined) return `Sending: ${label} for ${total} objects`;
  if (accepted === 0 && unknown === total) return `Outcome unknown: ${label} for ${total} objects`;
  if (accepted === 0) return `Not accepted: ${label} for ${total} objects`;
  const accepting = realms.filter(({ answer }) => answer.kind === "accepted");
  const named = accepting.length < 2 && accepted === total ? [] : accepting;
  const perRealm = named.map(({ realm, items }) => `${realm}: ${items.length}`).join(", ");
  return `Accepted: ${label} for ${accepted} of ${total} objects${perRealm === "" ? "" : ` (${perRealm})`}`;
}

/** Answers or effects that are waited for; empty when no realm has accepted the command. */
export function bulkStatus(run: BulkRun, nowMs: number, withFailures = true): string {
  const { settledAtMs, startedAtMs } = run;
  const { total, accepted, failed, unknown, visible, visibleAccepted } = countsOf(run);
  if (settledAtMs === undefined)
    return [
      `${awaitedText(run)}, ${formatTimeSpan(Math.max(0, nowMs - startedAtMs))}`,
      `${visible} of ${total} visible so far`,
    ].join(" · ");
  const parts: string[] = [];
  const left = accepted - visibleAccepted;
  if (accepted > 0)
    parts.push(
      left === 0
        ? `${accepted} accepted, all visible`
        : !isFollowed(run, nowMs)
          ? `${accepted} accepted, ${left} of them not visible after ${formatTimeSpan(nowMs - settledAtMs)}`
          : isVisibilityLate(run, nowMs)
            ? `${accepted} accepted, ${left} of them not yet visible`
            : `${accepted} accepted, ${visibleAccepted} visible so far`,
    );
  if (!withFailures) return parts.join(" · ");
  if (unknown > 0 && unknown < total) parts.push(`the outcome of ${unknown} of ${total} is unknown`);
  if (accepted > 0 && failed > unknown) parts.push(`${failed - unknown} of ${total} not accepted`);
  return parts.join(" · ");
}

/** Realms whose answer is awaited. The rows of the others have the whole effect, so that these have surely accepted. */
function awaitedText(run: BulkRun): string {
  const awaited = awaitedRealms(run);
  if (awaited.length === 0 || awaited.includes("")) return "Waiting for the answer";
  return `Waiting for ${
    awaited.length <= maxNamed ? awaited.join(", ") : `${awaited.length} of ${run.realms.length} realms`
  }`;
}

/** Appearance of a run: waiting, accepted with every effect visible, or with failures. */
export function bulkTone(run: BulkRun, nowMs: number): "waiting" | "done" | "late" | "failed" {
  if (countsOf(run).failed > 0) return "failed";
  if (isComplete(run)) return "done";
  return run.settledAtMs !== undefined && isVisibilityLate(run, nowMs) ? "late" : "waiting";
}
