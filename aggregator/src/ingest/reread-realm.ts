import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { replayStream, type StreamReplay } from "./replay-stream.ts";
import type { IngestEvents } from "./write-messages.ts";

/** Receivers of a replay whose messages were reported when they first arrived. */
export const silentEvents: IngestEvents = {
  onRejected() {},
  onUnlisted() {},
  onWritten() {},
  onWriteFailed() {},
  onStored() {},
  onForgotten() {},
};

/** Writes the rows and the catalog of one realm again, as the state stream holds them. Rejects when that fails. */
export async function rereadRealm(
  realm: string,
  { bus, ...options }: StreamReplay["options"] & { readonly bus: NatsBus },
): Promise<void> {
  const connection = bus.live();
  if (connection === undefined) throw new Error("NATS is not connected");
  await replayStream(connection, { stream: "state", sinceMs: 0, realms: [realm], options });
}
