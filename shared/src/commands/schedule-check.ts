import { declareCommand } from "./command-kind.ts";
import { parseTargeted } from "./resolve-target.ts";

type ScheduleCheck = { readonly refs: readonly string[] };

export const scheduleCheckCommand = declareCommand("scheduleCheck", {
  kind: "schedule_check",
  parse: ({ target }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs })),
  effects: ({ refs }: ScheduleCheck) => refs.map((ref) => ({ kind: "check", ref }) as const),
});
