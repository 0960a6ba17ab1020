import { ProgramToggle as WireProgramToggle } from "@realmwatch/proto/svc/v1/command_pb";
import { ok } from "../model/result.ts";
import type { ProgramToggle } from "../model/toggles.ts";
import { declareCommand } from "./command-kind.ts";
import { malformed } from "./resolve-target.ts";

type SetProgramNotifications = { readonly enabled: boolean };
type SetProgramToggle = {
  readonly toggle: ProgramToggle;
  readonly enabled: boolean;
};

const toggles: Readonly<Partial<Record<WireProgramToggle, ProgramToggle>>> = {
  [WireProgramToggle.ACTIVE_CHECKS]: "activeChecks",
  [WireProgramToggle.PASSIVE_CHECKS]: "passiveChecks",
  [WireProgramToggle.EVENT_HANDLERS]: "eventHandlers",
  [WireProgramToggle.FLAP_DETECTION]: "flapDetection",
};

// [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
export const setProgramNotificationsCommand = declareCommand("setProgramNotifications", {
  kind: "set_program_notifications",
  parse: ({ enabled = false }) => ok({ enabled }),
  effects: ({ enabled }: SetProgramNotifications) => [{ kind: "program", toggle: "notifications", enabled }],
});

export const setProgramToggleCommand = declareCommand("setProgramToggle", {
  kind: "set_program_toggle",
  parse({ toggle: wire, enabled = false }) {
    const toggle = toggles[wire];
    return toggle === undefined ? malformed("toggle", "is required") : ok({ toggle, enabled });
  },
  effects: ({ toggle, enabled }: SetProgramToggle) => [{ kind: "program", toggle, enabled }],
});
