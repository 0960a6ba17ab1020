import type { AuditRecord } from "@realmwatch/proto/svc/v1/admin_pb";
import { auditOutcomeCodec } from "@realmwatch/shared/wire/fields/enums";

type AuditFilter = {
  /** Name of an outcome; empty for all. */
  readonly outcome: string;
  /** Name of a principal; empty for all. */
  readonly who: string;
  /** Name of a call without its service; empty for all. */
  readonly call: string;
  /** Words that all have to occur. */
  readonly text: string;
};

/** Name of an RPC without its service: `AcknowledgeProblem`. */
export const rpcNameOf = ({ rpc }: Pick<AuditRecord, "rpc">): string => rpc.slice(rpc.lastIndexOf("/") + 1);

/** Name of the sender; empty when it was not authenticated. */
export const principalOf = ({ principal }: Pick<AuditRecord, "principal">): string => principal?.name ?? "";

/** Records that match a filter. Words are looked for in call, request, sender, address, reason and id. */
export function filterAudit(
  records: readonly AuditRecord[],
  { outcome, who, call, text }: AuditFilter,
): readonly AuditRecord[] {
  const words = text.toLowerCase().split(/\s+/).filter(Boolean);
  return records.filter((record) => {
    if (outcome !== "" && auditOutcomeCodec.fromProto(record.outcome) !== outcome) return false;
    if (who !== "" && principalOf(record) !== who) return false;
    if (call !== "" && rpcNameOf(record) !== call) return false;
    if (words.length === 0) return true;
    const { rpc, commandJson, peer, reason, requestId, onBehalfOf } = record;
    const searched = [rpc, commandJson, principalOf(record), onBehalfOf, peer, reason, requestId]
      .join("\n")
      .toLowerCase();
    return words.every((word) => searched.includes(word));
  });
}
