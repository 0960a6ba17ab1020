import { ProgramToggle as WireProgramToggle } from "@realmwatch/proto/svc/v1/command_pb";
import { malformed } from "../model/refusal.ts";
import { ok } from "../model/result.ts";
import type { ProgramToggle } from "../model/toggles.ts";
import { toggleText } from "../read-model/history/toggle-text.ts";
import { declareCommand } from "./command-kind.ts";
import { type CommandLine, commandLine, lineCommands } from "./command-line.ts";

type SetProgramNotifications = { readonly enabled: boolean };
type SetProgramToggle = SetProgramNotifications & { readonly toggle: ProgramToggle };

export const programToggles: Readonly<Record<ProgramToggle, WireProgramToggle>> = {
  activeChecks: WireProgramToggle.ACTIVE_CHECKS,
  passiveChecks: WireProgramToggle.PASSIVE_CHECKS,
  eventHandlers: WireProgramToggle.EVENT_HANDLERS,
  flapDetection: WireProgramToggle.FLAP_DETECTION,
};
const nameByWire = new Map(Object.entries(programToggles).map(([name, wire]) => [wire, name as ProgramToggle]));

/** Change of one of the toggles that a history record has the text of. */
const changeOf = <T extends string>(toggles: readonly T[], output: string) =>
  toggles
    .flatMap((toggle) => [true, false].map((enabled) => ({ toggle, enabled })))
    .find(({ toggle, enabled }) => toggleText(toggle, enabled) === output);

const notificationsLine = (enabled: boolean): CommandLine<SetProgramNotifications> =>
  commandLine([], () => lineCommands([{ enabled }]));
const toggleLine = (toggle: ProgramToggle, enabled: boolean): CommandLine<SetProgramToggle> =>
  commandLine([], () => lineCommands([{ toggle, enabled }]));

// [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
export const setProgramNotificationsCommand = declareCommand("setProgramNotifications", {
  kind: "set_program_notifications",
  parse: ({ enabled = false }) => ok({ enabled }),
  effects: ({ enabled }: SetProgramNotifications) => [{ kind: "program", toggle: "notifications", enabled }],
  recorded(output) {
    const change = changeOf(["notifications"], output);
    return change && { enabled: change.enabled };
  },
  lines: { ENABLE_NOTIFICATIONS: notificationsLine(true), DISABLE_NOTIFICATIONS: notificationsLine(false) },
});

export const setProgramToggleCommand = declareCommand("setProgramToggle", {
  kind: "set_program_toggle",
  parse({ toggle: wire, enabled = false }) {
    const toggle = nameByWire.get(wire);
    return toggle === undefined ? malformed("toggle", "is required") : ok({ toggle, enabled });
  },
  effects: ({ toggle, enabled }: SetProgramToggle) => [{ kind: "program", toggle, enabled }],
  recorded: (output) => changeOf(Object.keys(programToggles) as ProgramToggle[], output),
  lines: {
    ENABLE_EVENT_HANDLERS: toggleLine("eventHandlers", true),
    DISABLE_EVENT_HANDLERS: toggleLine("eventHandlers", false),
    ENABLE_FLAP_DETECTION: toggleLine("flapDetection", true),
    DISABLE_FLAP_DETECTION: toggleLine("flapDetection", false),
    START_EXECUTING_HOST_CHECKS: toggleLine("activeChecks", true),
    STOP_EXECUTING_HOST_CHECKS: toggleLine("activeChecks", false),
    START_EXECUTING_SVC_CHECKS: toggleLine("activeChecks", true),
    STOP_EXECUTING_SVC_CHECKS: toggleLine("activeChecks", false),
    START_ACCEPTING_PASSIVE_HOST_CHECKS: toggleLine("passiveChecks", true),
    STOP_ACCEPTING_PASSIVE_HOST_CHECKS: toggleLine("passiveChecks", false),
    START_ACCEPTING_PASSIVE_SVC_CHECKS: toggleLine("passiveChecks", true),
    STOP_ACCEPTING_PASSIVE_SVC_CHECKS: toggleLine("passiveChecks", false),
  },
});
