import type { RealmPlan } from "@realmwatch/shared/config/plan";
import { authorFields, systemAuthor } from "@realmwatch/shared/model/author";
import type { HistoryEntry } from "@realmwatch/shared/model/history";
import type { ProgramToggles } from "@realmwatch/shared/model/toggles";
import { toggleText } from "@realmwatch/shared/read-model/history/toggle-text";
import type { ProgramState } from "./program-state.ts";

/** [TG3] Sets one realm toggle. For event handlers that are turned off it stores the configured value. */
export function withProgramToggle(
  program: ProgramState,
  { eventHandlers }: RealmPlan,
  { toggle, enabled }: { readonly toggle: keyof ProgramToggles; readonly enabled: boolean },
): ProgramState {
  const toggles = { ...program.toggles, [toggle]: enabled };
  return { ...program, toggles, handlersConfigured: toggles.eventHandlers ? undefined : eventHandlers.enabled };
}

/**
 * [TG3] Adjusts the program state to another plan: forgets contacts that were removed, and turns event handlers on if
 * the plan configures them differently than at the time they were toggled off.
 */
export function reconcileProgram(
  program: ProgramState,
  plan: RealmPlan,
  nowMs: number,
): { readonly program: ProgramState; readonly history: readonly HistoryEntry[] } {
  const known = { ...program, mutes: program.mutes.filter(({ contact }) => plan.contacts.has(contact)) };
  const { handlersConfigured = plan.eventHandlers.enabled } = program;
  if (handlersConfigured === plan.eventHandlers.enabled) return { program: known, history: [] };
  const change = { toggle: "eventHandlers", enabled: true } as const;
  const output = toggleText(change.toggle, change.enabled);
  return {
    program: withProgramToggle(known, plan, change),
    history: [{ atMs: nowMs, type: "toggle", output, ...authorFields(systemAuthor) }],
  };
}
