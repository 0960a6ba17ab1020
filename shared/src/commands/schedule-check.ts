import { fail, type Result } from "../model/result.ts";
import { declareCommand } from "./command-kind.ts";
import { type LineCommands, lineCommands, targetLines } from "./command-line.ts";
import type { ResolutionContext } from "./command-realm.ts";
import { parseTargeted } from "./resolve-target.ts";

type ScheduleCheck = { readonly refs: readonly string[] };

/** Command of a line that is not forced: objects with disabled active checks are left out. */
function scheduleWhereEnabled(
  refs: readonly string[],
  { realm }: ResolutionContext,
): Result<LineCommands<ScheduleCheck>, string> {
  const isOn = (ref: string): boolean => realm.records.get(ref)?.state.toggles.activeChecks ?? false;
  const enabled = realm.program.toggles.activeChecks ? refs.filter(isOn) : [];
  if (enabled.length === 0) return fail("active checks are disabled; a forced check runs nevertheless");
  return lineCommands([{ refs: enabled }]);
}

export const scheduleCheckCommand = declareCommand("scheduleCheck", {
  kind: "schedule_check",
  words: {
    action: "Check now",
    noun: "check now",
    onTarget: {
      path: "check",
      summary: "Check objects now.",
      done: (target) => `checking ${target} now`,
    },
  },
  parse: ({ target }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs })),
  effects: ({ refs }: ScheduleCheck) => refs.map((ref) => ({ kind: "check", ref }) as const),
  lines: {
    ...targetLines(
      { host: "SCHEDULE_HOST_CHECK", service: "SCHEDULE_SVC_CHECK", services: "SCHEDULE_HOST_SVC_CHECKS" },
      ["time"],
      (refs, _, context) => scheduleWhereEnabled(refs, context),
    ),
    ...targetLines(
      {
        host: "SCHEDULE_FORCED_HOST_CHECK",
        service: "SCHEDULE_FORCED_SVC_CHECK",
        services: "SCHEDULE_FORCED_HOST_SVC_CHECKS",
      },
      ["time"],
      (refs) => lineCommands([{ refs }]),
    ),
  },
});
