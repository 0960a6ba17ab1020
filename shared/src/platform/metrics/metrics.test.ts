import assert from "node:assert/strict";
import { test } from "node:test";
import { openMetrics } from "./metrics.ts";

test("every series has the prefix; build, process and event loop metrics exist", async () => {
  const metrics = openMetrics({ version: "v1.2.3", commit: "unknown" });
  metrics.counter({ name: "things_total", help: "Things.", labels: ["kind"] }).inc({ kind: "a" });
  metrics.histogram({ name: "wait_seconds", help: "Waits.", buckets: [0.1, 1] }).observe(0.5);
  const { text, contentType } = await metrics.render();
  metrics.close();
  assert.match(contentType, /^text\/plain/);
  const series = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(
    series.filter((line) => !/^realmwatch_[a-z0-9_]+(\{.*\})? [-+0-9.eENaInf]+$/.test(line)),
    [],
  );
  assert.match(text, /realmwatch_build_info\{version="v1\.2\.3",commit="unknown"\} 1/);
  assert.match(text, /realmwatch_event_loop_delay_seconds\{percentile="99"\} [0-9.e-]+/);
  assert.match(text, /realmwatch_things_total\{kind="a"\} 1/);
  assert.match(text, /realmwatch_wait_seconds_bucket\{le="1"\} 1/);
  assert.match(text, /realmwatch_process_resident_memory_bytes/);
});

test("two registries are independent", () => {
  for (const commit of ["a", "b"]) openMetrics({ version: "dev", commit }).close();
});
