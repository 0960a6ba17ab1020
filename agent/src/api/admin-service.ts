import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { type AuditDesk, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { toConnectError } from "@realmwatch/shared/api/rpc/refusal-to-code";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";

/** What the service needs of who keeps the configuration. */
export interface ConfigurationDesk {
  validate(cue: string): Promise<Result<void, Refusal>>;
  apply(cue: string): Promise<Result<void, Refusal>>;
  document(): Promise<Result<string, Refusal>>;
}

/** A document is whole or missing: an empty one is taken for missing, and says so without diagnostics. */
function requireDocument(cue: string): string {
  if (cue === "") throw new ConnectError("cue: is required: a whole document", Code.InvalidArgument);
  return cue;
}

/** Configuration and the audit log over the API. */
export function adminService(desk: ConfigurationDesk, audit: AuditDesk): ServiceImpl<typeof AdminService> {
  const granted = <T>(answer: Result<T, Refusal>): T => {
    if (!answer.ok) throw toConnectError(answer.error);
    return answer.value;
  };
  return {
    async validateConfig({ cue }) {
      granted(await desk.validate(requireDocument(cue)));
      return {};
    },
    async applyConfig({ cue }) {
      granted(await desk.apply(requireDocument(cue)));
      return {};
    },
    async getConfig() {
      return { cue: granted(await desk.document()) };
    },
    listAuditRecords: listAuditRecords(audit),
  };
}
