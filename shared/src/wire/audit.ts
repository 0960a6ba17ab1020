import type { MessageInitShape } from "@bufbuild/protobuf";
import type { AuditRecordSchema } from "@realmwatch/proto/svc/v1/admin_pb";
import type { AuditRecord } from "../model/audit.ts";
import { auditOutcomeCodec, auditSourceCodec, roleCodec } from "./fields/enums.ts";
import { timestampToProto } from "./fields/time.ts";

/** Converts an audit record for the response of `ListAuditRecords`. */
export function auditRecordToProto(record: AuditRecord): MessageInitShape<typeof AuditRecordSchema> {
  const { principal } = record;
  return {
    at: timestampToProto(record.atMs),
    source: auditSourceCodec.toProto(record.source),
    ...(principal && { principal: { name: principal.name, role: roleCodec.toProto(principal.role) } }),
    peer: record.peer,
    rpc: record.rpc,
    commandJson: record.commandJson,
    outcome: auditOutcomeCodec.toProto(record.outcome),
    requestId: record.requestId,
    onBehalfOf: record.onBehalfOf,
    reason: record.reason,
    count: record.count,
  };
}
