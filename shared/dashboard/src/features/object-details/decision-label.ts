import type { Because } from "@realmwatch/proto/svc/v1/common_pb";
import { type DecisionContext, type DecisionPhase, decisionPhase } from "@realmwatch/shared/view/notification-decision";

const labels: Readonly<Record<Exclude<DecisionPhase, undefined>, string>> = {
  present: "Suppressed: ",
  past: "Was suppressed: ",
  when_due: "Suppressed when it was due: ",
  end: "About the end of the last problem: ",
};

/** Label before the reason of an object's last decision on a notification; undefined when it is not displayed. */
export function decisionLabel(decision: Because, present: DecisionContext): string | undefined {
  const phase = decisionPhase(decision, present);
  return phase && labels[phase];
}
