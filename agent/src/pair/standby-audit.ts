import { auditQueue } from "@realmwatch/shared/audit/audit-queue";
import type { AuditRecord } from "@realmwatch/shared/model/audit";
import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import { fail, ok } from "@realmwatch/shared/model/result";
import { errorText } from "@realmwatch/shared/platform/error-text";
import type { AgentPortHost } from "../port-host/agent-port-host.ts";

type StandbyAuditOptions = {
  readonly clock: Clock;
  readonly port: Pick<AgentPortHost, "served">;
  /** Sends a record to the other member, which is active. Rejects when it does not store it. */
  forward(record: AuditRecord): Promise<unknown>;
};

/** Interval at which records are sent again that no active member has stored, ms. */
const retryMs = 250;
/** Longest time that the end of the process waits for an active member, ms. */
const closeLimitMs = 2_000;

/**
 * [PA52] Audit records of calls to a member that is not active. They wait until an agent of the pair stores them: a switch
 * and a promotion end while the next agent still starts.
 */
export function standbyAudit({ clock, port, forward }: StandbyAuditOptions) {
  const stored = new WeakSet<AuditRecord>();
  const store = (record: AuditRecord): Promise<unknown> => {
    const { realm, engine } = port.served;
    return realm === undefined ? forward(record) : engine.recordAudit(record);
  };
  const queue = auditQueue({
    ...{ clock, retryMs },
    disk: {
      async audit(records) {
        try {
          for (const record of records) {
            // A failed write is repeated as a whole.
            if (!stored.has(record)) await store(record);
            stored.add(record);
          }
          return ok(undefined);
        } catch (error) {
          return fail({ kind: "unavailable", what: errorText(error) });
        }
      },
    },
  });
  return {
    add: (record: AuditRecord): Promise<void> => queue.add(record),
    /** Waits up to two seconds until the records are stored. */
    async close(): Promise<void> {
      const endMs = clock.monotonic() + closeLimitMs;
      await queue.close();
      while (queue.waiting() > 0 && clock.monotonic() < endMs) {
        await sleep(clock, retryMs);
        await queue.close();
      }
    },
  };
}
