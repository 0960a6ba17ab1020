import type { SnmpSpec } from "@realmwatch/shared/config/check-spec";
import { outcome } from "@realmwatch/shared/words/outcome";
import type { ActiveCheckType } from "./check-type.ts";

/** Not run by this version: the object says so instead of staying silent. */
export const snmp: ActiveCheckType<SnmpSpec> = {
  type: "snmp",
  onTimeout: "unknown",
  run: async () => outcome("unknown", 'check type "snmp" arrives with a later version'),
};
