import { never } from "@realmwatch/shared/model/never";
import { pairTimes } from "../pair-times.ts";
import { type Member, type MemberStep, reachablePeer } from "./member.ts";
import type { MemberEvent, MemberTime } from "./member-event.ts";
import { beginGivingUp } from "./requests.ts";
import { stepTo } from "./steps.ts";

type DutyEvent = Extract<MemberEvent, { kind: "dutyStarted" | "dutyFailed" | "dutyStopped" }>;

/** Goes on after the duty has started, failed or ended. */
export function afterDutyEvent(member: Member, event: DutyEvent, time: MemberTime): MemberStep {
  const { phase } = member;
  if (phase.kind === "ending")
    return event.kind === "dutyStarted"
      ? stepTo(member)
      : stepTo({ ...member, phase: { kind: "following" }, nextReadMs: time.nowMs });
  if (phase.kind !== "active") return stepTo(member);
  switch (event.kind) {
    case "dutyStarted":
      return phase.duty === "starting"
        ? stepTo({ ...member, dutyProblem: "", phase: { ...phase, duty: "running" } })
        : stepTo(member);
    case "dutyStopped": {
      const { position } = event;
      return stepTo({ ...member, position, phase: { ...phase, duty: "stopped" } });
    }
    case "dutyFailed":
      return afterFailure(member, event.why, time);
    default:
      return never(event);
  }
}

/** [PA13] Hands a realm that this member cannot serve to a standby in sync, else tries again in a new term. */
function afterFailure(member: Member, why: string, time: MemberTime): MemberStep {
  const { phase, settings } = member;
  if (phase.kind !== "active") return stepTo(member);
  const stopped = { ...phase, duty: "stopped" } as const;
  if (phase.givingUp !== undefined) return stepTo({ ...member, phase: stopped });
  const retryAtMs = time.nowMs + pairTimes(settings.leaseMs).renewalMs;
  const failed: Member = { ...member, dutyProblem: why, retryAtMs };
  if (phase.inSync && reachablePeer(member, time) !== undefined) return beginGivingUp(failed, stopped, "goodbye", time);
  return stepTo({ ...failed, phase: { kind: "following" } });
}
