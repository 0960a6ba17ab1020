import type { RealmPlan } from "@realmwatch/shared/config/plan";
import type { Metrics } from "@realmwatch/shared/platform/metrics/metrics";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import type { RunCheck } from "./realm/schedule/check-starter.ts";
import { createZoneCheckRunner } from "./zones/zone-check-runner.ts";

type ZonesParts = {
  readonly realm: string;
  bus(): NatsBus | undefined;
  readonly metrics: Metrics;
};

/** Runs the checks of zones that this agent does not serve, through workers. */
export function openRemoteZones(
  plan: () => RealmPlan,
  { realm, bus, metrics }: ZonesParts,
): { run: RunCheck; close(): void } {
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
    signal: closing.signal,
    ended: (zone, result) => offers.inc({ zone, result }),
  });
  return {
    run: (object, where) => run(object, { ...where, realm: plan() }),
    close: () => closing.abort(),
  };
}
