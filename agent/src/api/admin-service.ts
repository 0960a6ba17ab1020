import { Code, ConnectError, type ServiceImpl } from "@connectrpc/connect";
import type { AdminService } from "@realmwatch/proto/svc/v1/admin_pb";
import { toConnectError } from "@realmwatch/shared/api/refusal-to-code";
import { wireAuditRecord } from "@realmwatch/shared/wire/audit";
import { instantOf } from "@realmwatch/shared/wire/time";
import type { AuditRecord } from "@realmwatch/shared/words/audit";
import type { Refusal } from "@realmwatch/shared/words/refusal";
import type { Result } from "@realmwatch/shared/words/result";

/** What the service needs of who keeps the configuration. */
export interface ConfigurationDesk {
  validate(cue: string): Promise<Result<void, Refusal>>;
  apply(cue: string): Promise<Result<void, Refusal>>;
  document(): Promise<Result<string, Refusal>>;
}

/** What the service needs of who keeps the audit log. */
export interface AuditDesk {
  /** Newest first. */
  auditRecords(query: {
    readonly sinceMs: number | undefined;
    readonly limit: number;
  }): Promise<Result<readonly AuditRecord[], Refusal>>;
}

const usualRecords = 100;
const mostRecords = 1000;

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
    async listAuditRecords({ since, limit }) {
      // [AU9] Nothing that a request says is refused: what is no instant bounds nothing.
      const sinceMs = instantOf("since", since);
      const records = await audit.auditRecords({
        sinceMs: sinceMs.ok ? sinceMs.value : undefined,
        limit: limit <= 0 ? usualRecords : Math.min(limit, mostRecords),
      });
      if (!records.ok) throw new ConnectError("internal error", Code.Internal, undefined, undefined, records.error);
      return { records: records.value.map(wireAuditRecord) };
    },
  };
}
