import { type Clock, sleep } from "@realmwatch/shared/model/clock";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { findForeignStreams } from "@realmwatch/shared/platform/nats/foreign-streams";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import {
  catalogSubjects,
  eventStream,
  eventSubject,
  stateStream,
  stateSubjectPrefix,
} from "@realmwatch/shared/wire/nats/nats-subjects";

/** Interval at which such streams are searched, ms; in addition at each connection. */
const searchEveryMs = 30_000;

/**
 * Searches for streams that capture this realm's messages in front of the centre's, as a JetStream at a leaf node does:
 * what it acknowledges while the link to the centre is broken does not arrive there. The aggregator cannot find them
 * where the leaf node logs in with the permissions of a realm, because its probes do not pass.
 */
export function watchCapturingStreams(io: {
  readonly realm: string;
  readonly bus: NatsBus;
  readonly clock: Clock;
  readonly log: Pick<Log, "info" | "error">;
}) {
  const { realm, bus, clock, log } = io;
  const plans = [
    { name: stateStream.name, subjects: [`${stateSubjectPrefix(realm)}.>`, catalogSubjects(realm)] },
    { name: eventStream.name, subjects: [eventSubject(realm)] },
  ];
  const closing = new AbortController();
  let problem = "";
  let wake = new AbortController();

  async function search(): Promise<void> {
    const connection = bus.live();
    if (connection === undefined) return;
    // A connection that broke meanwhile has proven nothing.
    const found = await findForeignStreams(connection, plans, clock, bus.newInbox).catch(() => undefined);
    if (found === undefined || bus.live() !== connection || closing.signal.aborted) return;
    const now = found.join("; ");
    if (now !== "" && now !== problem)
      log.error({ realm, problem: now }, "publisher: another stream captures this realm's messages");
    if (now === "" && problem !== "") log.info({ realm }, "publisher: no other stream captures this realm's messages");
    problem = now;
  }

  const stopUp = bus.onUp(() => wake.abort());
  void (async () => {
    while (!closing.signal.aborted) {
      wake = new AbortController();
      await search();
      await sleep(clock, searchEveryMs, AbortSignal.any([closing.signal, wake.signal]));
    }
  })();
  return {
    /** Names the streams that capture this realm's messages before the centre; empty without such a stream. */
    problem: () => problem,
    close() {
      stopUp();
      closing.abort();
    },
  };
}
