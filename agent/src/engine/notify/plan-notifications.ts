import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { FollowUp, ObjectInput } from "../input.ts";
import { hasOpenMatter } from "./open-problem.ts";
import type { Sending } from "./planned-notification.ts";
import type { ObjectState } from "../state/object-state.ts";
import type { StepContext } from "../step-context.ts";
import { tellDeferred } from "./plan-deferred.ts";
import { TellDraft } from "./notification-planner.ts";
import { newsOf, tellFlapping, tellNews } from "./plan-event.ts";
import { tellProblem } from "./plan-problem.ts";

/** What a step means for those who are told. */
export type ToldStep = {
  readonly state: ObjectState;
  readonly history: readonly HistoryEntry[];
  readonly followUps: readonly FollowUp[];
  readonly sendings: readonly Sending[];
  /** When time alone could let something out, Unix ms; Infinity for never. */
  readonly wakeAtMs: number;
};

/** The last look at an input: what was decided about the object is compared with what people know of it. */
export function tell(
  context: StepContext,
  { before, after, input, taken }: { before: ObjectState; after: ObjectState; input: ObjectInput; taken: boolean },
): ToldStep {
  const news = newsOf(input, before, after);
  // The usual case, which has to be cheap: all is well, and nobody was told otherwise.
  if (news === undefined && !hasOpenMatter(after))
    return { state: after, history: [], followUps: [], sendings: [], wakeAtMs: Number.POSITIVE_INFINITY };
  const draft = new TellDraft(context, after);
  if (taken) followState(draft, before, input);
  if (news !== undefined) tellNews(draft, news);
  tellFlapping(draft);
  tellProblem(draft);
  tellDeferred(draft);
  const { history, followUps, sendings, wakeAtMs, telling } = draft;
  const state = draft.changed ? { ...after, telling } : after;
  return { state, history, followUps, sendings, wakeAtMs };
}

/** What a result or an expiry changes before anything is decided. */
function followState(draft: TellDraft, before: ObjectState, input: ObjectInput): void {
  const { plan, nowMs } = draft.context;
  if (input.kind === "result") {
    const stopped = before.flap.flapping && !draft.state.flap.flapping;
    const awaitsResult = stopped && !plan.flap.notifyOnFlapStop;
    if (draft.telling.awaitsResult !== awaitsResult) draft.change({ awaitsResult });
  }
  // [NO17] An acknowledgement that has run out is as good as an interval that has.
  const expired =
    before.acknowledgement !== undefined && draft.state.acknowledgement === undefined && input.kind === "due";
  if (expired && draft.telling.nextAtMs !== undefined)
    draft.change({ nextAtMs: Math.min(nowMs, draft.telling.nextAtMs) });
}
