import { fail } from "@realmwatch/shared/model/result";
import { type ActivePhase, type Member, type MemberStep, reachablePeer } from "./member.ts";
import type { MemberAction } from "./member-action.ts";
import type { MemberTime } from "./member-event.ts";
import type { GivingUp } from "./member-facts.ts";
import { rightRemainingMs } from "./right.ts";
import { stepTo } from "./steps.ts";

/** [PA11] Begins a planned switch, or answers why it cannot be. */
export function requestSwitch(member: Member, time: MemberTime): MemberStep {
  const { phase } = member;
  const why = describeSwitchProblem(member, time);
  if (why !== "" || phase.kind !== "active") return stepTo(member, { kind: "answerSwitch", answer: fail(why) });
  return beginGivingUp({ ...member, switchAsked: true }, phase, "switch", time);
}

function describeSwitchProblem(member: Member, time: MemberTime): string {
  const { phase } = member;
  if (phase.kind !== "active") return "this member is not active";
  if (phase.givingUp !== undefined) return "the member is already giving the realm up";
  if (phase.duty !== "running") return "the agent is still starting: try again";
  if (member.peerRefusal !== "") return `the other member is refused: ${member.peerRefusal}`;
  const peer = reachablePeer(member, time);
  if (peer === undefined) return "the standby is away";
  if (!phase.inSync) return `${peer.member} is not in sync`;
  return rightRemainingMs(member, time) > 0 ? "" : "this member has no right to act now";
}

/** Ends the duty before the goodbye is written. */
export function beginGivingUp(member: Member, phase: ActivePhase, why: GivingUp, { nowMs }: MemberTime): MemberStep {
  const givingUp = { why, sinceMs: nowMs, goodbyeSent: false, goodbyeOpen: false };
  if (phase.duty === "stopped") return stepTo({ ...member, phase: { ...phase, givingUp } });
  return stepTo({ ...member, phase: { ...phase, givingUp, duty: "stopping" } }, { kind: "stopDuty", why });
}

/** [PA11] Begins the end of the process: an active member gives the realm up first. */
export function requestStop(member: Member, time: MemberTime): MemberStep {
  const { phase } = member;
  const actions: MemberAction[] = [];
  const why = "the process is about to end";
  if (member.promoteAsked) actions.push({ kind: "answerPromote", answer: fail(why) });
  const stopping: Member = { ...member, isStopping: true, promoteAsked: false };
  if (phase.kind === "active")
    return phase.givingUp === undefined ? beginGivingUp(stopping, phase, "goodbye", time) : stepTo(stopping);
  if (phase.kind === "ending") return stepTo(stopping, ...actions);
  if (member.switchAsked) actions.push({ kind: "answerSwitch", answer: fail(why) });
  return stepTo({ ...stopping, phase: { kind: "ended" }, switchAsked: false }, ...actions, { kind: "exit" });
}
