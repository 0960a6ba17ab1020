import { create } from "@bufbuild/protobuf";
import { timestampMs } from "@bufbuild/protobuf/wkt";
import {
  GetServerInfoRequestSchema,
  type GetServerInfoResponse,
  QueryService,
  type UnmappedAlert,
} from "@realmwatch/proto/svc/v1/query_pb";
import { type Clock, waitAtMost } from "@realmwatch/shared/model/clock";
import { idGenerator } from "@realmwatch/shared/platform/id-generator";
import type { Forwarder } from "../forward/forwarder.ts";

type RealmAlertsOptions = {
  readonly forwarder: () => Pick<Forwarder, "forward">;
  /** Realms that are heard now; only those are asked. */
  readonly realms: () => Promise<readonly string[]>;
  /** Timeout for the answer of a realm, ms. */
  readonly timeoutMs: number;
  readonly clock: Clock;
};

/** Time for which answers of realms are used, ms. */
const freshMs = 30_000;
/** Maximum time that a caller waits for realms, ms; later answers are for the next one. */
const waitMs = 1_000;
/** Number of realms that are asked at the same time. */
const askedTogether = 16;
/** Maximum number of alerts of all realms. */
const maxListed = 50;

/**
 * [AR19] Returns a function that lists the alerts of all realms which are about no object, those seen last first. Realms are
 * asked when the list is read, at most every 30 s; of one that does not answer its last answer is used.
 */
export function realmAlerts(options: RealmAlertsOptions): () => Promise<UnmappedAlert[]> {
  const { clock } = options;
  const mintId = idGenerator(clock);
  const answers = new Map<string, readonly UnmappedAlert[]>();
  const asked = new Set<string>();
  let askedAtMs = Number.NEGATIVE_INFINITY;
  let asking: Promise<unknown> = Promise.resolve();

  async function ask(realm: string): Promise<void> {
    const answer = await options.forwarder().forward(realm, {
      method: QueryService.method.getServerInfo,
      message: create(GetServerInfoRequestSchema),
      requestId: mintId(),
      timeoutMs: options.timeoutMs,
      signal: new AbortController().signal,
    });
    if (!answer.ok) return;
    const { unmappedAlerts } = answer.value.message as GetServerInfoResponse;
    answers.set(
      realm,
      unmappedAlerts.slice(0, maxListed).map((alert) => ({ ...alert, realm })),
    );
  }

  async function askAll(realms: readonly string[]): Promise<void> {
    for (let at = 0; at < realms.length; at += askedTogether)
      await Promise.allSettled(realms.slice(at, at + askedTogether).map(ask));
  }

  /** Realms that are to be asked now: all after 30 s, else those that are new. */
  function dueOf(realms: readonly string[]): readonly string[] {
    for (const realm of answers.keys()) if (!realms.includes(realm)) answers.delete(realm);
    for (const realm of asked) if (!realms.includes(realm)) asked.delete(realm);
    if (clock.monotonic() - askedAtMs >= freshMs) {
      askedAtMs = clock.monotonic();
      asked.clear();
    }
    const due = realms.filter((realm) => !asked.has(realm));
    for (const realm of due) asked.add(realm);
    return due;
  }

  return async () => {
    const due = dueOf(await options.realms());
    if (due.length > 0) asking = Promise.all([asking, askAll(due)]);
    await waitAtMost(clock, waitMs, asking);
    return [...answers.values()]
      .flat()
      .sort((a, b) => lastSeenMs(b) - lastSeenMs(a))
      .slice(0, maxListed);
  };
}

const lastSeenMs = ({ lastSeen }: UnmappedAlert): number => (lastSeen === undefined ? 0 : timestampMs(lastSeen));
