import type { ProgramToggles as WireProgramToggles } from "@realmwatch/proto/svc/v1/common_pb";
import type { ProgramToggles } from "../model/toggles.ts";

export const togglesToProto = (toggles: ProgramToggles): WireProgramToggles => ({
  $typeName: "svc.v1.ProgramToggles",
  notificationsEnabled: toggles.notifications,
  activeChecksEnabled: toggles.activeChecks,
  passiveChecksEnabled: toggles.passiveChecks,
  eventHandlersEnabled: toggles.eventHandlers,
  flapDetectionEnabled: toggles.flapDetection,
});

/** A switch that is left unset counts as on, as at a realm's first start. */
export const togglesFromProto = (wire: WireProgramToggles | undefined): ProgramToggles => ({
  notifications: wire?.notificationsEnabled ?? true,
  activeChecks: wire?.activeChecksEnabled ?? true,
  passiveChecks: wire?.passiveChecksEnabled ?? true,
  eventHandlers: wire?.eventHandlersEnabled ?? true,
  flapDetection: wire?.flapDetectionEnabled ?? true,
});
