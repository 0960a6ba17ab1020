import { ProgramTogglesSchema, type ProgramToggles as ProtoProgramToggles } from "@realmwatch/proto/svc/v1/common_pb";
import type { ProgramToggles } from "../model/toggles.ts";
import { flagField } from "./fields/field-codec.ts";
import { fieldReader } from "./fields/field-reader.ts";
import { messageCodec } from "./fields/message-codec.ts";

export const togglesCodec = messageCodec<ProgramToggles, typeof ProgramTogglesSchema>(ProgramTogglesSchema, {
  notifications: ["notificationsEnabled", flagField(true)],
  activeChecks: ["activeChecksEnabled", flagField(true)],
  passiveChecks: ["passiveChecksEnabled", flagField(true)],
  eventHandlers: ["eventHandlersEnabled", flagField(true)],
  flapDetection: ["flapDetectionEnabled", flagField(true)],
});

/** An unset toggle counts as on, as at a realm's first start. */
export const togglesFromProto = (proto: ProtoProgramToggles | undefined): ProgramToggles =>
  proto === undefined ? togglesCodec.blank : togglesCodec.fromProto(proto, fieldReader(), "toggles");
