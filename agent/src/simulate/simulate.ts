import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { compareNotifications, type NotificationDiff } from "./compare-notifications.ts";
import type { Recording } from "./recording.ts";
import { replayRecording } from "./replay-recording.ts";

export type Simulation = {
  readonly recording: Recording;
  /** Messages recorded, told in a rehearsal of the document that ran, and in one of the candidate. */
  readonly counts: { readonly recorded: number; readonly old: number | undefined; readonly new: number };
  /** What the candidate changes: against the other rehearsal or, without one, against the record. */
  readonly diff: NotificationDiff;
  /** How well the rehearsal of the document that ran tells what was recorded. */
  readonly fidelity: NotificationDiff | undefined;
  /** Objects of the candidate that the record knows nothing of. */
  readonly unknown: readonly string[];
  /** Objects of the record that the candidate does not have. */
  readonly gone: readonly string[];
};

export type SimulationOptions = {
  readonly recording: Recording;
  readonly candidate: RealmPlan;
  readonly ran: RealmPlan | undefined;
  readonly toleranceMs: number;
};

/**
 * [SI1] What a candidate document would have told in the span of a recording. Both documents go through the same
 * machine, so that what it cannot know is not blamed on the candidate.
 */
export function simulate({ recording, candidate, ran, toleranceMs }: SimulationOptions): Simulation {
  const after = replayRecording(recording, { plan: candidate, ran });
  const before = ran && replayRecording(recording, { plan: ran, ran });
  const { states, sent } = recording;
  return {
    recording,
    counts: { recorded: sent.length, old: before?.length, new: after.length },
    diff: compareNotifications(before ?? sent, after, toleranceMs),
    fidelity: before && compareNotifications(sent, before, toleranceMs),
    unknown: [...candidate.objects.keys()].filter((ref) => !states.has(ref)),
    gone: [...states.keys()].filter((ref) => !candidate.objects.has(ref)),
  };
}
