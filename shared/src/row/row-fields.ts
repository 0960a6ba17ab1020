import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { enumField, stateTypeCodec, statusCodec } from "../wire/fields/enums.ts";
import {
  flagField,
  listField,
  markField,
  numberField,
  optionalDurationField,
  optionalField,
  optionalInstantField,
  textField,
  textsField,
} from "../wire/fields/field-codec.ts";
import type { FieldTable } from "../wire/fields/field-table.ts";
import { optionalObjectField } from "../wire/fields/object-ref.ts";
import { acknowledgementCodec, commentCodec } from "../wire/rows/annotation.ts";
import { downtimeCodec } from "../wire/rows/downtime.ts";
import { impactCodec } from "../wire/rows/impact.ts";
import { notificationProgressCodec } from "../wire/rows/notification-progress.ts";
import { perfPointCodec } from "../wire/rows/perfdata.ts";
import { metadataFields } from "./metadata-fields.ts";

/** Fields of a row, each with its field of the message. Times are Unix ms, durations ms; an unset toggle counts as on. */
export const rowFields = {
  about: metadataFields,
  status: ["status", enumField(statusCodec, "pending")],
  stateType: ["stateType", enumField(stateTypeCodec, "hard")],
  attempt: ["attempt", numberField],
  maxAttempts: ["maxAttempts", numberField],
  lastHardStatus: ["lastHardStatus", enumField(statusCodec, "pending")],
  output: ["output", textField],
  longOutput: ["longOutput", textField],
  perfdata: ["perfdata", listField(perfPointCodec)],
  lastCheckAtMs: ["lastCheck", optionalInstantField],
  nextCheckAtMs: ["nextCheck", optionalInstantField],
  /** Time from which the next result is overdue, Unix ms; undefined when none is expected. */
  overdueAtMs: ["overdueAt", optionalInstantField],
  lastChangeAtMs: ["lastChange", optionalInstantField],
  lastHardChangeAtMs: ["lastHardChange", optionalInstantField],
  latencyMs: ["latency", optionalDurationField],
  executionMs: ["executionTime", optionalDurationField],
  checkSource: ["checkSource", textField],
  flapping: ["flapping", flagField(false)],
  /** In [0, 1]. */
  flapValue: ["flapValue", numberField],
  acknowledgement: ["acknowledgement", optionalField(acknowledgementCodec)],
  downtimes: ["downtimes", listField(downtimeCodec)],
  inDowntime: ["inDowntime", flagField(false)],
  comments: ["comments", listField(commentCodec)],
  toggles: {
    notifications: ["notificationsEnabled", flagField(true)],
    activeChecks: ["activeChecksEnabled", flagField(true)],
    passiveChecks: ["passiveChecksEnabled", flagField(true)],
    eventHandler: ["eventHandlerEnabled", flagField(true)],
    flapDetection: ["flapDetectionEnabled", flagField(true)],
  },
  notification: ["notification", notificationProgressCodec],
  suppressedBy: ["suppressedBy", textsField],
  /** References of the objects that suppress this problem directly: `suppressedBy` has the names of dependencies. */
  suppressors: ["suppressors", textsField],
  /** Objects behind this problem; the read model sets it, and `cause`. */
  impact: ["impact", optionalField(impactCodec)],
  /** Topmost cause of an object that is unreachable or suppressed. */
  cause: ["cause", optionalObjectField],
  handled: ["handled", flagField(false)],
  /** True when texts or lists were cut on the way from the agent. */
  truncated: ["truncated", markField],
} satisfies FieldTable<ObjectRow>;
