import type { HandlerContext, ServiceImpl } from "@connectrpc/connect";
import { AdminService, type ApplyConfigRequest } from "@realmwatch/proto/svc/v1/admin_pb";
import { auditedRpcOf } from "@realmwatch/shared/api/audit/audit-rpcs";
import { type AuditLogReader, listAuditRecords } from "@realmwatch/shared/api/audit/list-audit-records";
import { toConnectError, valueOrThrow } from "@realmwatch/shared/api/rpc/refusal-to-code";
import { type DocumentChange, documentChangeHeader } from "@realmwatch/shared/config/diff/document-change";
import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Clock } from "@realmwatch/shared/model/clock";
import type { Refusal } from "@realmwatch/shared/model/refusal";
import type { Result } from "@realmwatch/shared/model/result";
import type { CommandAnswer } from "../journal/command-answer.ts";
import type { Journal } from "../journal/journal.ts";
import type { RealmReader } from "../realm/state/realm-reader.ts";
import { configChanges } from "./config-changes.ts";
import { type KeyedCalls, keyedCallOf } from "./keyed-calls.ts";

/** Operations on the served configuration that the API exposes. */
interface ConfigurationAdmin {
  validate(cue: string): Promise<Result<RealmPlan, Refusal>>;
  apply(cue: string): Promise<Result<DocumentChange, Refusal>>;
  /** The document in use; `changedOnDisk`: the configuration file has another content by now. */
  document(): Promise<{ readonly text: string; readonly changedOnDisk: boolean }>;
}

/** Returns the document. Throws `invalid_argument` without diagnostics when it is empty. */
function requireDocument(cue: string): string {
  if (cue === "") throw toConnectError({ kind: "malformed", field: "cue", why: "is required: a whole document" });
  return cue;
}

type AdminServiceOptions = {
  readonly configuration: ConfigurationAdmin;
  readonly audit: AuditLogReader;
  readonly realm: Pick<RealmReader, "plan" | "records">;
  readonly keyedCalls: KeyedCalls;
  readonly journal: Pick<Journal, "keepAnswer">;
  readonly clock: Pick<Clock, "now">;
};

/** AdminService of an agent: the configuration and the audit log. */
export function adminService(options: AdminServiceOptions): ServiceImpl<typeof AdminService> {
  const { configuration, realm, keyedCalls, journal, clock } = options;
  /**
   * [FD87] Applies a document, with an idempotency key once, and returns its effect. A refused document has changed
   * nothing, so that its answer is not stored: a repeat is judged again.
   */
  async function applyOnce(request: ApplyConfigRequest, context: HandlerContext): Promise<DocumentChange | undefined> {
    const audited = auditedRpcOf(context);
    const apply = async (): Promise<DocumentChange> => {
      // A call may have waited for another one with the same key until after its deadline.
      context.signal.throwIfAborted();
      const change = valueOrThrow(await configuration.apply(requireDocument(request.cue)));
      if (audited !== undefined) audited.change = change;
      return change;
    };
    const keyed = keyedCallOf({ method: AdminService.method.applyConfig, request, context });
    if (keyed === undefined) return apply();
    const { answer, isRepeated } = await keyedCalls.answer(keyed, {
      async execute() {
        const applied: CommandAnswer = { kind: "accepted", ids: [], matched: 0, change: await apply() };
        await journal.keepAnswer({ ...keyed, quota: "commands", atMs: clock.now(), answer: applied });
        return applied;
      },
      async keep() {},
    });
    if (answer.kind === "refused") throw toConnectError(answer.refusal);
    if (isRepeated && audited) audited.recorded = true;
    return answer.change;
  }
  return {
    async validateConfig({ cue, listChanges }) {
      const plan = valueOrThrow(await configuration.validate(requireDocument(cue)));
      return listChanges ? { changes: configChanges(realm, plan) } : {};
    },
    async applyConfig(request, context) {
      const change = await applyOnce(request, context);
      if (change !== undefined) context.responseHeader.set(documentChangeHeader, JSON.stringify(change));
      return {};
    },
    async getConfig() {
      const { text, changedOnDisk } = await configuration.document();
      return { cue: text, changedOnDisk };
    },
    listAuditRecords: listAuditRecords(options.audit),
  };
}
