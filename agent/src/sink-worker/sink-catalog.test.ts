import assert from "node:assert/strict";
import { test } from "node:test";
import type { Catalog } from "@realmwatch/shared/model/catalog";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { catalogFromProto, catalogToProto } from "@realmwatch/shared/wire/catalog";
import type { SinkStatus } from "../sinks/runner/sink-health.ts";
import { sinkPublication, withSinkProgress } from "./sink-catalog.ts";

const status = (more: Partial<SinkStatus> = {}): SinkStatus => ({
  ...{ name: "s", queued: 0, lagMs: 0, failingSinceMs: undefined, lastError: "", lastDeliveredMs: undefined },
  ...{ counts: { delivered: 0, failed: {}, dropped: {} } },
  ...more,
});

test("[SK5] the progress of a sink reaches the aggregator with the catalog", () => {
  const toggles = {
    activeChecks: true,
    passiveChecks: true,
    notifications: true,
    eventHandlers: true,
    flapDetection: true,
  };
  const sinks = [{ name: "s", type: "http", input: "metrics", selector: "" }] as const;
  const catalog = { realm: "fra", contacts: [], views: [], sinks, panels: [], slos: [], toggles } as unknown as Catalog;
  const failing = status({ queued: 7, lagMs: 1_500, failingSinceMs: 1_000, lastError: "answered 500" });
  const sent = withSinkProgress(catalog, [failing]);
  const received = catalogFromProto(catalogToProto(sent, { realm: "fra", epoch: 1, revision: 1, atMs: 0 }));
  assert.ok(received.ok);
  assert.deepEqual(received.value.sinks[0]?.progress, {
    ...{ queued: 7, lagMs: 1_500, failingSinceMs: 1_000, lastError: "answered 500", lastDeliveredMs: undefined },
  });
});

test("[SK5] the catalog is published when a sink begins or ceases to fail, and otherwise once a minute", () => {
  const clock = manualClock();
  let published = 0;
  const report = sinkPublication(clock, () => {
    published += 1;
  });
  const after = (ms: number, now: SinkStatus): number => {
    clock.advance(ms);
    report([now]);
    return published;
  };
  assert.equal(after(0, status()), 1);
  assert.equal(after(10_000, status({ queued: 1 })), 1, "only the queue changed");
  assert.equal(after(500, status({ failingSinceMs: 5, lastError: "x" })), 2);
  assert.equal(after(1_000, status()), 2, "not more often than every 5 s");
  assert.equal(after(4_500, status()), 3);
  assert.equal(after(60_000, status({ queued: 9 })), 4);
  assert.equal(after(60_000, status({ queued: 9 })), 4, "nothing changed");
});
