import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import type { PairStatus } from "@realmwatch/shared/model/pair-status";
import { openThreadMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { registerPairMetrics, TakeoverCounts } from "./pair-metrics.ts";

const active: PairStatus = {
  ...{ self: "fra-a", role: "active", active: "fra-a", standby: "fra-b", inSync: true, degraded: false, lagMs: 1_500 },
  ...{ term: 7, leaseMs: 45_000, marginMs: 9_000, leaseRemainingMs: 40_250, promiseRemainingMs: 0, reason: "" },
  ...{ sinceMs: 0, documentsDiffer: true },
  lastTakeover: { atMs: 0, from: "fra-b", to: "fra-a", reason: "expired", term: 7 },
  asOfMs: undefined,
};

test("[PA51] metrics have the state of the pair at the scrape", async () => {
  let status = active;
  const metrics = openThreadMetrics("test");
  registerPairMetrics(metrics, () => status, new TakeoverCounts());
  const values = async () =>
    Object.fromEntries(
      [...(await metrics.render()).text.matchAll(/^realmwatch_pair_(\S+) (\S+)$/gm)].map(([, name, value]) => [
        name,
        Number(value),
      ]),
    );
  const { 'takeovers_total{reason="expired"}': expired, ...gauges } = await values();
  assert.equal(expired, 0);
  assert.deepEqual(
    [gauges["active"], gauges["in_sync"], gauges["lag_seconds"], gauges["lease_remaining_seconds"]],
    [1, 1, 1.5, 40.25],
  );
  assert.deepEqual([gauges["documents_differ"], gauges["held"], gauges["refused"]], [1, 0, 0]);
  status = { ...active, role: "held", inSync: false };
  const held = await values();
  assert.deepEqual([held["active"], held["held"], held["in_sync"]], [0, 1, 0]);
  metrics.close();
});

test("[PA51] each takeover is counted once by its reason, those before the start are not", () => {
  const counts = new TakeoverCounts();
  const taken = (term: number, reason: "expired" | "switch") =>
    counts.note({ lastTakeover: { atMs: 0, from: "a", to: "b", reason, term } });
  taken(5, "expired");
  for (const reason of ["switch", "switch", "expired"] as const) taken(5, reason);
  taken(6, "switch");
  taken(7, "expired");
  taken(6, "switch");
  const { expired, switch: switched, forced } = Object.fromEntries(counts.read());
  assert.deepEqual([expired, switched, forced], [1, 1, 0]);
});

test("[PA51] the first takeover after a start without one is counted", () => {
  const counts = new TakeoverCounts();
  counts.note({ lastTakeover: undefined });
  counts.note({ lastTakeover: { atMs: 0, from: "", to: "a", reason: "first", term: 5 } });
  assert.equal(Object.fromEntries(counts.read())["first"], 1);
});

test("docs/reference/metrics.md lists each metric of a pair with its type and meaning", async () => {
  const metrics = openThreadMetrics("test");
  registerPairMetrics(metrics, () => active, new TakeoverCounts());
  const served = (await metrics.render()).text.matchAll(/^# HELP (realmwatch_pair_\w+) (.*)\n# TYPE \w+ (\w+)$/gm);
  const page = readFileSync(new URL("../../../docs/reference/metrics.md", import.meta.url), "utf8");
  const written = page.matchAll(/^\| `(realmwatch_pair_\w+)` \| (\w+) \| [^|]* \| ([^|]*) \|/gm);
  assert.deepEqual(
    [...written].map(([, name, type, meaning]) => [name, meaning, type]),
    [...served].map(([, ...metric]) => metric),
  );
  metrics.close();
});
