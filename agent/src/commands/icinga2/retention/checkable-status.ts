import type { Acknowledgement } from "@realmwatch/shared/model/annotation";
import type { Status } from "@realmwatch/shared/model/status";
import type { RetainedNotifications, RetainedStatus } from "../../import/retention/retained-object.ts";
import { fieldNumber, fieldStruct, fieldText, fieldTimeMs } from "./record-fields.ts";
import type { IcingaRecord } from "./state-file.ts";

const serviceStatuses: readonly Status[] = ["ok", "warning", "critical", "unknown"];

/** Status of a value of `state_raw`: for a host, 0 and 1 are up. */
function statusOf({ type, fields }: IcingaRecord, value: number): Status {
  if (type === "Service") return serviceStatuses[value] ?? "unknown";
  if (value < 2) return "ok";
  return fields["last_reachable"] === false ? "unreachable" : "critical";
}

/** Status of a host or a service; undefined before its first check result. */
export function retainedStatusOf(
  record: IcingaRecord,
  {
    acknowledgement,
    notifications,
  }: {
    readonly acknowledgement: Acknowledgement | undefined;
    readonly notifications: RetainedNotifications | undefined;
  },
): RetainedStatus | undefined {
  const { type, fields } = record;
  const result = fieldStruct(fields, "last_check_result");
  if (result === undefined) return undefined;
  const [output = "", ...further] = fieldText(result, "output").split("\n");
  const hardChangedAtMs = fieldTimeMs(fields, "last_hard_state_change");
  return {
    status: statusOf(record, fieldNumber(fields, "state_raw")),
    isHard: fieldNumber(fields, "state_type") === 1,
    attempt: fieldNumber(fields, "check_attempt"),
    // An object that was never in a hard state has the value of unknown.
    lastHardStatus:
      hardChangedAtMs === undefined ? "pending" : statusOf(record, fieldNumber(fields, "last_hard_state_raw")),
    previousStatus: fieldStruct(result, "vars_before") && statusOf(record, fieldNumber(fields, "last_state_raw")),
    output,
    longOutput: further.join("\n"),
    checkedAtMs: fieldTimeMs(result, "execution_start") ?? fieldTimeMs(result, "execution_end"),
    lastOkAtMs: fieldTimeMs(fields, type === "Host" ? "last_state_up" : "last_state_ok"),
    changedAtMs: fieldTimeMs(fields, "last_state_change"),
    hardChangedAtMs,
    acknowledgement,
    notifications,
  };
}

/** Value of `suppressed_notifications` for a recovery. */
const recovery = 64;

/** Parts of the state of an object that are not taken over. */
export function lossesOf({ fields }: IcingaRecord): readonly string[] {
  const isRecoveryDue = (fieldNumber(fields, "suppressed_notifications") & recovery) !== 0;
  return [
    ...(fields["flapping"] === true ? ["it is flapping: that begins anew with the results to come"] : []),
    ...(isRecoveryDue ? ["its recovery, which was suppressed, is not notified"] : []),
  ];
}
