import type { ProgramToggles as ProtoProgramToggles } from "@realmwatch/proto/svc/v1/common_pb";
import type { ProgramToggles } from "../model/toggles.ts";

export const togglesToProto = (toggles: ProgramToggles): ProtoProgramToggles => ({
  $typeName: "svc.v1.ProgramToggles",
  notificationsEnabled: toggles.notifications,
  activeChecksEnabled: toggles.activeChecks,
  passiveChecksEnabled: toggles.passiveChecks,
  eventHandlersEnabled: toggles.eventHandlers,
  flapDetectionEnabled: toggles.flapDetection,
});

/** An unset toggle counts as on, as at a realm's first start. */
export const togglesFromProto = (proto: ProtoProgramToggles | undefined): ProgramToggles => ({
  notifications: proto?.notificationsEnabled ?? true,
  activeChecks: proto?.activeChecksEnabled ?? true,
  passiveChecks: proto?.passiveChecksEnabled ?? true,
  eventHandlers: proto?.eventHandlersEnabled ?? true,
  flapDetection: proto?.flapDetectionEnabled ?? true,
});
