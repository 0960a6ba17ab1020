import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import type { AuditRecord } from "../../model/audit.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { auditRecordToProto } from "../../wire/audit.ts";
import { timestampFromProto } from "../../wire/fields/time.ts";

/** What keeps the audit log. */
export interface AuditLogReader {
  /** Newest first. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
}

const usualRecords = 100;
const mostRecords = 1000;

/** The audit log over the API, of either program. */
export const listAuditRecords =
  (audit: AuditLogReader): ServiceImpl<typeof AdminService>["listAuditRecords"] =>
  async ({ since, limit }) => {
    // [AU9] Nothing that a request says is refused: what is no instant bounds nothing.
    const sinceMs = timestampFromProto("since", since);
    const records = await audit.auditRecords({
      sinceMs: sinceMs.ok ? sinceMs.value : undefined,
      limit: limit <= 0 ? usualRecords : Math.min(limit, mostRecords),
    });
    if (!records.ok) throw new ConnectError("internal error", Code.Internal, undefined, undefined, records.error);
    return { records: records.value.map(auditRecordToProto) };
  };
