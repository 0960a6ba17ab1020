import type { ObjectRow } from "@realmwatch/proto/svc/v1/query_pb";
import { labelMapField, textField, textsField } from "../wire/fields/field-codec.ts";
import { blankOf, type FieldTable, type ValuesOf } from "../wire/fields/field-table.ts";
import { objectField } from "../wire/fields/object-ref.ts";

/** Configured properties of an object that readers see, each with its field of a row's message. */
export const metadataFields = {
  key: ["object", objectField],
  /** Effective labels: a service inherits its host's and overrides them. Keys are lower case. */
  labels: ["labels", labelMapField],
  /** Names of a host's parents. */
  parents: ["parents", textsField],
  /** References of the objects that the dependencies of this one read, at most 100. */
  dependsOn: ["dependsOn", textsField],
  /** `type` of the check; empty for a process. */
  checkType: ["checkType", textField],
  /** A process' rule as JSON text; empty otherwise. */
  rule: ["rule", textField],
  zone: ["zone", textField],
  /** Timeperiod names; empty means always. */
  checkPeriod: ["checkPeriod", textField],
  notificationPeriod: ["notificationPeriod", textField],
} satisfies FieldTable<ObjectRow>;

/** Configured properties that an object without a document has. */
export const blankMetadata = blankOf<ValuesOf<typeof metadataFields>, ObjectRow>(metadataFields);
