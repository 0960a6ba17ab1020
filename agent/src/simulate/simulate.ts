import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { compareNotifications, type NotificationDiff } from "./compare-notifications.ts";
import type { Recording } from "./recording.ts";
import { replayRecording } from "./replay-recording.ts";

export type Simulation = {
  readonly recording: Recording;
  /** Numbers of recorded notifications, and of those in the replays of the document that ran and of the candidate. */
  readonly counts: { readonly recorded: number; readonly old: number | undefined; readonly new: number };
  /** Changes by the candidate, compared with the replay of the document that ran or, without one, with the record. */
  readonly diff: NotificationDiff;
  /** Comparison of the record with the replay of the document that ran; undefined without that document. */
  readonly fidelity: NotificationDiff | undefined;
  /** Objects of the candidate that are not in the record. */
  readonly unknown: readonly string[];
  /** Objects of the record that are not in the candidate. */
  readonly gone: readonly string[];
};

type SimulationOptions = {
  readonly recording: Recording;
  readonly candidate: RealmPlan;
  readonly ran: RealmPlan | undefined;
  readonly toleranceMs: number;
};

/**
 * [SI1] Notifications that a candidate document would have sent in the span of a recording. The document that ran is
 * replayed in the same way, so that the limits of the replay do not count as differences.
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
