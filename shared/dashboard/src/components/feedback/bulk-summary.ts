import {
  awaitedRealms,
  type BulkRun,
  countsOf,
  isComplete,
  isFollowed,
  isVisibilityLate,
} from "../../api/commands/bulk-run.ts";
import { commandTexts } from "../../texts/command-texts.ts";
import { connectionTexts } from "../../texts/connection-texts.ts";
import { formatTimeSpan } from "../time/format-time-span.ts";

/** Largest number of realms that a line names; more are a count. */
const maxNamed = 3;

/** The command with the number of its objects, and after the answer those that were accepted, with their realms. */
export function bulkHeadline({ label, realms, settledAtMs }: BulkRun): string {
  const { total, accepted, unknown } = countsOf({ realms });
  if (settledAtMs === undefined) return commandTexts.sendingFor(label, total);
  if (accepted === 0 && unknown === total) return commandTexts.unknownFor(label, total);
  if (accepted === 0) return commandTexts.notAcceptedFor(label, total);
  const accepting = realms.filter(({ answer }) => answer.kind === "accepted");
  const named = accepting.length < 2 && accepted === total ? [] : accepting;
  const perRealm = named.map(({ realm, items }) => commandTexts.perRealm(realm, items.length)).join(", ");
  return commandTexts.accepted(label, connectionTexts.ofObjects(accepted, total), perRealm);
}

/** Answers or effects that are waited for; empty when no realm has accepted the command. */
export function bulkStatus(run: BulkRun, nowMs: number, withFailures = true): string {
  const { settledAtMs, startedAtMs } = run;
  const { total, accepted, failed, unknown, visible, visibleAccepted } = countsOf(run);
  if (settledAtMs === undefined)
    return `${awaitedText(run)}${commandTexts.elapsed(formatTimeSpan(Math.max(0, nowMs - startedAtMs)))} · ${commandTexts.visibleOf(visible, total)}`;
  const parts: string[] = [];
  const left = accepted - visibleAccepted;
  if (accepted > 0)
    parts.push(
      left === 0
        ? commandTexts.acceptedAllVisible(accepted)
        : !isFollowed(run, nowMs)
          ? commandTexts.acceptedNeverVisible(accepted, left, formatTimeSpan(nowMs - settledAtMs))
          : isVisibilityLate(run, nowMs)
            ? commandTexts.acceptedNotYetVisible(accepted, left)
            : commandTexts.acceptedVisible(accepted, visibleAccepted),
    );
  if (!withFailures) return parts.join(" · ");
  if (unknown > 0 && unknown < total) parts.push(commandTexts.unknownOutcome(unknown, total));
  if (accepted > 0 && failed > unknown) parts.push(commandTexts.notAccepted(failed - unknown, total));
  return parts.join(" · ");
}

/** Realms whose answer is awaited. The rows of the others have the whole effect, so that these have surely accepted. */
function awaitedText(run: BulkRun): string {
  const awaited = awaitedRealms(run);
  if (awaited.length === 0 || awaited.includes("")) return commandTexts.waitingForTheAnswer;
  return commandTexts.waitingFor(
    awaited.length <= maxNamed ? awaited.join(", ") : commandTexts.ofRealms(awaited.length, run.realms.length),
  );
}

/** Appearance of a run: waiting, accepted with every effect visible, or with failures. */
export function bulkTone(run: BulkRun, nowMs: number): "waiting" | "done" | "late" | "failed" {
  if (countsOf(run).failed > 0) return "failed";
  if (isComplete(run)) return "done";
  return run.settledAtMs !== undefined && isVisibilityLate(run, nowMs) ? "late" : "waiting";
}
