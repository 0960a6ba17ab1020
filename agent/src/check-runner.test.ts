import assert from "node:assert/strict";
import { test } from "node:test";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { allowAllOutbound } from "@realmwatch/shared/platform/network/outbound-policy";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openCheckRunner } from "./check-runner.ts";
import { checkEnvironment, servicePlan } from "./checks/plan.fixture.ts";

test("[ME3] a timeout, a cut output and a process that a plugin leaves are counted once each", async (t) => {
  const metrics = openMetrics({ version: "dev", commit: "unknown" });
  const runner = openCheckRunner({ outbound: allowAllOutbound, metrics });
  t.after(async () => {
    await runner.close();
    metrics.close();
  });
  const run = (line: string, timeoutMs: number) =>
    runner.run(servicePlan({ type: "legacy", path: "/bin/sh", args: ["-c", line] }, timeoutMs), checkEnvironment());
  const ended = await run("setsid sleep 600 & sleep 600", 1_000);
  assert.match(ended.output, /timed out after 1s/);
  assert.ok(!("timedOut" in ended));
  assert.equal((await run("head -c 70000 /dev/zero | tr '\\0' a", 30_000)).status, "ok");
  assert.equal((await run("echo fine", 30_000)).output, "fine");
  const counted = async (): Promise<readonly (string | undefined)[]> => {
    const { text } = await metrics.render();
    const sampleOf = (series: string): string | undefined =>
      text
        .split("\n")
        .find((line) => line.startsWith(`realmwatch_${series} `))
        ?.split(" ")[1];
    return [
      'check_timeouts_total{type="legacy"}',
      'check_timeouts_total{type="http"}',
      "plugin_output_truncated_total",
      "plugin_orphans_total",
    ].map(sampleOf);
  };
  await until("the process that left its group is killed", async () => (await counted())[3] === "1");
  assert.deepEqual(await counted(), ["1", "0", "1", "1"]);
});
