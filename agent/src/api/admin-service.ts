import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";

/** Operations on the served configuration that the API exposes. */
export interface ConfigurationAdmin {
  validate(cue: string): Promise<Result<void, Refusal>>;
  apply(cue: string): Promise<Result<void, Refusal>>;
  document(): Promise<Result<string, Refusal>>;
}

/** Returns the document. Throws `invalid_argument` without diagnostics when it is empty. */
function requireDocument(cue: string): string {
  if (cue === "") throw new ConnectError("cue: is required: a whole document", Code.InvalidArgument);
  return cue;
}

/** AdminService of an agent: the configuration and the audit log. */
export function adminService(
  configuration: ConfigurationAdmin,
  audit: AuditLogReader,
): ServiceImpl<typeof AdminService> {
  const granted = <T>(answer: Result<T, Refusal>): T => {
    if (!answer.ok) throw toConnectError(answer.error);
    return answer.value;
  };
  return {
    async validateConfig({ cue }) {
      granted(await configuration.validate(requireDocument(cue)));
      return {};
    },
    async applyConfig({ cue }) {
      granted(await configuration.apply(requireDocument(cue)));
      return {};
    },
    async getConfig() {
      return { cue: granted(await configuration.document()) };
    },
    listAuditRecords: listAuditRecords(audit),
  };
}
