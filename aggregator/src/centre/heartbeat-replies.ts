import type { Clock } from "@realmwatch/shared/model/clock";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { type BrokerRecords, readBrokerRecords } from "../ingest/broker-records.ts";
import { encodeHeartbeatReply } from "../ingest/encode-heartbeat-reply.ts";
import { epochRefusal } from "../realms/epoch-limits.ts";
import { greatest, type Heartbeat, type SeenSequences } from "../realms/realm-liveness.ts";
import type { FreshnessTracker } from "./freshness-tracker.ts";
import type { ModelEvidence } from "./model-evidence.ts";

/** Time for which the newest records of a realm in the streams are not read again, ms. */
const recordsValidForMs = 60_000;

type KnownRecords = { readonly instance: string; readonly connections: number; readonly atMs: number } & BrokerRecords;

export type HeartbeatReplies = {
  /** Encoded answer to a heartbeat: what the centre holds of the realm. */
  replyTo(heartbeat: Heartbeat): Promise<Uint8Array>;
};

/**
 * [FD61] True when the stream has lost the realm's rows: the marker behind them is missing. The aggregator may hold them
 * all, but could not read them again. An agent that has not published its marker yet ignores the answer.
 */
const isPurged = ({ claim }: Heartbeat, records: BrokerRecords | undefined): boolean =>
  records?.epoch === 0 && claim !== undefined && claim.rows > 0;

/** Answers heartbeats. The newest records in the streams are read once for each instance and connection, then each minute. */
export function heartbeatReplies(options: {
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly evidence: () => ModelEvidence;
  readonly freshness: FreshnessTracker;
  /** Greatest sequences in the heartbeats of the realm's agents. */
  readonly seen: (realm: string) => SeenSequences;
  /** True when the realm has to publish its rows again. */
  readonly wantsRepublication: (realm: string) => boolean;
}): HeartbeatReplies {
  const { bus, clock, freshness } = options;
  const known = new Map<string, KnownRecords>();

  async function recordsOf({ realm, instance }: Heartbeat): Promise<BrokerRecords | undefined> {
    const found = known.get(realm);
    const connections = bus.connections();
    const isValid =
      found?.instance === instance &&
      found.epoch > 0 &&
      found.connections === connections &&
      clock.monotonic() - found.atMs < recordsValidForMs;
    if (isValid) return found;
    const connection = bus.live();
    if (connection === undefined) return undefined;
    try {
      const records = await readBrokerRecords(connection, realm);
      known.set(realm, { ...records, instance, connections, atMs: clock.monotonic() });
      return records;
    } catch {
      // The agent learns it with a later answer.
      return undefined;
    }
  }

  return {
    async replyTo(heartbeat) {
      const { realm, epoch, revision } = heartbeat;
      const records = await recordsOf(heartbeat);
      const evidence = options.evidence();
      const { digest, rows } = evidence.of(realm);
      const held = evidence.newest(realm);
      const plausible = (value: number): number => (epochRefusal(value, 0, clock.now()) === undefined ? value : 0);
      return encodeHeartbeatReply({
        realm,
        held,
        rows,
        digest,
        atMs: clock.now(),
        followedInstance: freshness.followedInstance(realm),
        republish: options.wantsRepublication(realm) || isPurged(heartbeat, records),
        greatestEpoch: Math.max(held.epoch, plausible(records?.epoch ?? 0)),
        eventSeq: records?.eventSeq,
        seen: greatest(options.seen(realm), { history: records?.eventSeq ?? 0, command: records?.commandSeq ?? 0 }),
        refused: epochRefusal(epoch, revision, clock.now()) ?? "",
      });
    },
  };
}
