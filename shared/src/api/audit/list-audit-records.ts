import type { ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import type { AuditRecord } from "../../model/audit.ts";
import type { Refusal } from "../../model/refusal.ts";
import type { Result } from "../../model/result.ts";
import { auditRecordToProto } from "../../wire/audit.ts";
import { timestampFromProto } from "../../wire/fields/time.ts";
import { internalError } from "../rpc/refusal-to-code.ts";

/** Source of the records that `ListAuditRecords` returns. */
export interface AuditLogReader {
  /** Records since `sinceMs` (Unix ms; undefined: all), newest first. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
}

const defaultLimit = 100;
const maxLimit = 1000;

/** Implementation of `ListAuditRecords` for agent and aggregator. */
export const listAuditRecords =
  (audit: AuditLogReader): ServiceImpl<typeof AdminService>["listAuditRecords"] =>
  async ({ since, limit }) => {
    // [AU9] No request is refused: an invalid timestamp sets no bound.
    const sinceMs = timestampFromProto("since", since);
    const records = await audit.auditRecords({
      sinceMs: sinceMs.ok ? sinceMs.value : undefined,
      limit: limit <= 0 ? defaultLimit : Math.min(limit, maxLimit),
    });
    if (!records.ok) throw internalError("internal error", records.error);
    return { records: records.value.map(auditRecordToProto) };
  };
