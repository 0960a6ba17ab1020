import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { RunCheck } from "./realm/schedule/check-starter.ts";
import { createZoneCheckRunner } from "./zones/zone-check-runner.ts";

type RemoteZonesOptions = {
  readonly realm: string;
  /** Epoch of a pair's member; undefined for an agent without a pair. */
  readonly epoch: number | undefined;
  readonly bus: NatsBus;
  readonly metrics: Metrics;
  readonly insecure: boolean;
};

/** Runs the checks of zones that this agent does not serve, through workers. */
export function openRemoteZones({ realm, epoch, bus, metrics, insecure }: RemoteZonesOptions): {
  run: RunCheck;
  close(): void;
} {
  const closing = new AbortController();
  const offers = metrics.counter({
    name: "zone_checks_total",
    help: "Checks offered to the workers of a zone, by outcome.",
    labels: ["zone", "result"],
  });
  const run = createZoneCheckRunner({
    bus,
    clock: systemClock,
    realm,
    epoch,
    insecure,
    signal: closing.signal,
    ended: (zone, result) => offers.inc({ zone, result }),
  });
  return {
    run,
    close: () => closing.abort(),
  };
}
