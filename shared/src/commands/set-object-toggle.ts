import { ObjectToggle as WireObjectToggle } from "@realmwatch/proto/svc/v1/command_pb";
import { malformed } from "../model/refusal.ts";
import type { ObjectToggle, ObjectToggles } from "../model/toggles.ts";
import { type Acceptance, declareCommand, toObjects } from "./command-kind.ts";
import { type TargetNames, toggleLines } from "./command-line.ts";
import { parseTargeted } from "./resolve-target.ts";

type SetObjectNotifications = { readonly refs: readonly string[]; readonly enabled: boolean };
type SetObjectToggle = SetObjectNotifications & { readonly toggle: ObjectToggle };

export const objectToggles: Readonly<Record<ObjectToggle, WireObjectToggle>> = {
  activeChecks: WireObjectToggle.ACTIVE_CHECKS,
  passiveChecks: WireObjectToggle.PASSIVE_CHECKS,
  eventHandler: WireObjectToggle.EVENT_HANDLER,
  flapDetection: WireObjectToggle.FLAP_DETECTION,
};
const nameByWire = new Map(Object.entries(objectToggles).map(([name, wire]) => [wire, name as ObjectToggle]));

const linesOf = (toggle: ObjectToggle, names: TargetNames) =>
  toggleLines(names, (refs, enabled): SetObjectToggle => ({ refs, toggle, enabled }));

type Change = SetObjectNotifications & { readonly toggle: keyof ObjectToggles };

const setToggle = ({ refs, toggle, enabled }: Change, { by }: Acceptance) =>
  toObjects(refs, { kind: "set_toggle", toggle, enabled, by });

// [CM3] Clients of a plain proto3 `bool` leave `enabled` out when it is false.
export const setObjectNotificationsCommand = declareCommand("setObjectNotifications", {
  kind: "set_object_notifications",
  parse: ({ target, enabled = false }, { realm }) => parseTargeted(realm, target, (refs) => ({ refs, enabled })),
  effects: (command: SetObjectNotifications, acceptance) =>
    setToggle({ ...command, toggle: "notifications" }, acceptance),
  lines: toggleLines(
    { host: "HOST_NOTIFICATIONS", service: "SVC_NOTIFICATIONS", services: "HOST_SVC_NOTIFICATIONS" },
    (refs, enabled) => ({ refs, enabled }),
  ),
});

export const setObjectToggleCommand = declareCommand("setObjectToggle", {
  kind: "set_object_toggle",
  parse({ toggle: wire, target, enabled = false }, { realm }) {
    const toggle = nameByWire.get(wire);
    if (toggle === undefined) return malformed("toggle", "is required");
    return parseTargeted(realm, target, (refs) => ({ refs, toggle, enabled }));
  },
  effects: (command: SetObjectToggle, acceptance) => setToggle(command, acceptance),
  lines: {
    ...linesOf("activeChecks", { host: "HOST_CHECK", service: "SVC_CHECK", services: "HOST_SVC_CHECKS" }),
    ...linesOf("passiveChecks", { host: "PASSIVE_HOST_CHECKS", service: "PASSIVE_SVC_CHECKS" }),
    ...linesOf("eventHandler", { host: "HOST_EVENT_HANDLER", service: "SVC_EVENT_HANDLER" }),
    ...linesOf("flapDetection", { host: "HOST_FLAP_DETECTION", service: "SVC_FLAP_DETECTION" }),
  },
});
