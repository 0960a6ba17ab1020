import type { AuditCounts } from "@realmwatch/shared/audit/audit-counters";
import type { CommandIntakeOptions } from "./command-intake.ts";

/** Journal of commands that counts the audit records that are written with them. */
export function countedAudit({
  accept,
}: CommandIntakeOptions["journal"]): CommandIntakeOptions["journal"] & AuditCounts {
  let written = 0;
  let failedWrites = 0;
  return {
    async accept(command, records) {
      const accepted = await accept(command, records);
      const { audit = [] } = records;
      if (accepted.ok) written += audit.length;
      else if (audit.length > 0 && accepted.error.kind === "unavailable") failedWrites += 1;
      return accepted;
    },
    written: () => written,
    failedWrites: () => failedWrites,
  };
}
