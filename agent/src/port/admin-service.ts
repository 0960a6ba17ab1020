import type { ServiceImpl } from "@connectrpc/connect";
import { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { documentChangeHeader } from "@realmwatch/shared/config/diff/document-change";
import { keyedCallOf } from "./keyed-call.ts";
import { outcomeOrThrow, timeLeftOf } from "./outcome-of-call.ts";
import type { EngineChannel } from "./port-contract.ts";

/** Returns the document. Throws `invalid_argument` without diagnostics when it is empty. */
function requireDocument(cue: string): string {
  if (cue === "") throw toConnectError({ kind: "malformed", field: "cue", why: "is required: a whole document" });
  return cue;
}

/** AdminService of an agent: the configuration and the audit log. */
export const adminService = (engine: EngineChannel, audit: AuditLogReader): ServiceImpl<typeof AdminService> => ({
  validateConfig: async ({ cue, listChanges }) => {
    const changes = valueOrThrow(await engine.request("validateConfig", requireDocument(cue), listChanges));
    return listChanges ? { changes } : {};
  },
  async applyConfig(request, context) {
    const call = {
      cue: requireDocument(request.cue),
      key: keyedCallOf({ method: AdminService.method.applyConfig, request, context }),
      timeoutMs: timeLeftOf(context),
    };
    const change = outcomeOrThrow(valueOrThrow(await engine.request("applyConfig", call)), context);
    if (change === undefined) return {};
    const audited = auditedRpcOf(context);
    if (audited !== undefined) audited.change = change;
    context.responseHeader.set(documentChangeHeader, JSON.stringify(change));
    return {};
  },
  async getConfig() {
    const { text, changedOnDisk } = valueOrThrow(await engine.request("servedDocument"));
    return { cue: text, changedOnDisk };
  },
  listAuditRecords: listAuditRecords(audit),
});
