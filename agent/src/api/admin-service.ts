import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { type DocumentChange, documentChangeHeader } from "@realmwatch/shared/config/diff/document-change";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { configChanges } from "./config-changes.ts";

/** Operations on the served configuration that the API exposes. */
export interface ConfigurationAdmin {
  validate(cue: string): Promise<Result<RealmPlan, Refusal>>;
  apply(cue: string): Promise<Result<DocumentChange, Refusal>>;
  /** The document in use; `changedOnDisk`: the configuration file has another content by now. */
  document(): Promise<{ readonly text: string; readonly changedOnDisk: boolean }>;
}

/** Returns the document. Throws `invalid_argument` without diagnostics when it is empty. */
function requireDocument(cue: string): string {
  if (cue === "") throw new ConnectError("cue: is required: a whole document", Code.InvalidArgument);
  return cue;
}

/** AdminService of an agent: the configuration and the audit log. */
export function adminService(
  configuration: ConfigurationAdmin,
  { audit, realm }: { readonly audit: AuditLogReader; readonly realm: Pick<RealmReader, "plan" | "records"> },
): ServiceImpl<typeof AdminService> {
  const granted = <T>(answer: Result<T, Refusal>): T => {
    if (!answer.ok) throw toConnectError(answer.error);
    return answer.value;
  };
  return {
    async validateConfig({ cue, listChanges }) {
      const plan = granted(await configuration.validate(requireDocument(cue)));
      return listChanges ? { changes: configChanges(realm, plan) } : {};
    },
    async applyConfig({ cue }, context) {
      const change = granted(await configuration.apply(requireDocument(cue)));
      const audited = auditedRpcOf(context);
      if (audited !== undefined) audited.change = change;
      context.responseHeader.set(documentChangeHeader, JSON.stringify(change));
      return {};
    },
    async getConfig() {
      const { text, changedOnDisk } = await configuration.document();
      return { cue: text, changedOnDisk };
    },
    listAuditRecords: listAuditRecords(audit),
  };
}
