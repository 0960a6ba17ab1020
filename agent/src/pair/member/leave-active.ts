import { fail } from "@realmwatch/shared/model/result";
import type { ActivePhase, Member, MemberStep } from "./member.ts";
import type { MemberAction } from "./member-action.ts";
import type { MemberTime } from "./member-event.ts";
import { stepTo } from "./steps.ts";

/** [PA6] Ends the duty at once, because another member is active. */
export function fence(member: Member, phase: ActivePhase, why: string): MemberStep {
  const isOver = phase.duty === "stopped";
  const actions: MemberAction[] = isOver ? [] : [{ kind: "stopDuty", why: "fenced" }];
  if (member.switchAsked) actions.push({ kind: "answerSwitch", answer: fail(`the switch was overtaken: ${why}`) });
  const next = { ...member, phase: { kind: isOver ? "following" : "ending" } as const, switchAsked: false };
  return stepTo(next, ...actions);
}

/** Follows after the goodbye was written. The answer to a switch waits for the other member. */
export function leaveActive(member: Member, phase: ActivePhase, { nowMs }: MemberTime): MemberStep {
  const gaveUp = { why: phase.givingUp?.why ?? "goodbye", term: phase.term, atMs: nowMs };
  return stepTo({ ...member, phase: { kind: "following" }, gaveUp, nextReadMs: nowMs });
}
