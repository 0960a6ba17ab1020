import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AuditRecordSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import type { AuditRecord } from "../model/audit.ts";
import { auditOutcomeCodec, auditSourceCodec, roleCodec } from "./fields/enums.ts";
import { timestampOf } from "./fields/time.ts";

/** An audit record as `ListAuditRecords` answers it. */
export function wireAuditRecord(record: AuditRecord): MessageInitShape<typeof AuditRecordSchema> {
  const { principal } = record;
  return {
    at: timestampOf(record.atMs),
    source: auditSourceCodec.toWire(record.source),
    ...(principal && { principal: { name: principal.name, role: roleCodec.toWire(principal.role) } }),
    peer: record.peer,
    rpc: record.rpc,
    commandJson: record.commandJson,
    outcome: auditOutcomeCodec.toWire(record.outcome),
    requestId: record.requestId,
    onBehalfOf: record.onBehalfOf,
    reason: record.reason,
    count: record.count,
  };
}
