import assert from "node:assert/strict";
import { test } from "node:test";
import { type CapacityReport, measureCapacity } from "./measure-capacity.ts";
import { parseMetricSamples } from "./metric-samples.ts";

const measure = (before: string, after: string, seconds = 10): CapacityReport =>
  measureCapacity({ before: parseMetricSamples(before), after: parseMetricSamples(after), seconds });
const shares = ({ resources }: CapacityReport) =>
  resources.map(({ name, share, level }) => [name, Math.round(share * 1_000) / 1_000, level]);

test("the text format of Prometheus: labels with escapes, infinite values, comments", () => {
  const text = [
    "# HELP a Some text.",
    "# TYPE a counter",
    'a{x="1",y="a \\"b\\" \\\\ \\n{,}"} 1.5e3',
    "b +Inf",
    "",
    "c 2 1700000000000",
    "not a sample line",
  ].join("\n");
  assert.deepEqual(parseMetricSamples(text).slice(0, 3), [
    { name: "a", labels: { x: "1", y: 'a "b" \\ \n{,}' }, value: 1_500 },
    { name: "b", labels: {}, value: Number.POSITIVE_INFINITY },
    { name: "c", labels: {}, value: 2 },
  ]);
});

const checks = (count: number, sum: number, inFlight = 3) =>
  [
    `realmwatch_check_duration_seconds_count{type="tcp"} ${count / 2}`,
    `realmwatch_check_duration_seconds_count{type="http"} ${count / 2}`,
    `realmwatch_check_duration_seconds_sum{type="tcp"} ${sum}`,
    `realmwatch_checks_in_flight ${inFlight}`,
    "realmwatch_check_places 100",
  ].join("\n");

test("[CP1] rates are measured between two scrapes, over all series, and a restart in between counts from zero", () => {
  const report = measure(checks(1_000, 50), checks(1_400, 850));
  assert.deepEqual([report.checksPerSecond, report.maxChecksPerSecond], [40, 50]);
  assert.deepEqual(shares(report)[0], ["check slots", 0.8, "warning"]);
  assert.equal(measure(checks(1_000, 50), checks(20, 4)).checksPerSecond, 2);
});

test("[CP1] checks that run during the whole sample occupy slots although none was completed", () => {
  const report = measure(checks(0, 0), checks(0, 0, 95));
  assert.deepEqual([report.checksPerSecond, report.maxChecksPerSecond], [0, undefined]);
  assert.deepEqual(shares(report)[0], ["check slots", 0.95, "critical"]);
});

test("[CP2] the tightest resource comes first, with the states of the shares 0.7 and 0.9", () => {
  const rows: [used: number, level: string][] = [
    [0, "ok"],
    [6_999, "ok"],
    [7_000, "warning"],
    [8_999, "warning"],
    [9_000, "critical"],
    [10_000, "critical"],
  ];
  for (const [used, level] of rows) {
    const text = `realmwatch_http_connections 1000\nrealmwatch_command_queue_capacity 10000\nrealmwatch_command_queue_length ${used}`;
    const { resources } = measure("", text);
    assert.equal(resources.find(({ name }) => name === "command queue")?.level, level, String(used));
    assert.equal(resources[0]?.name, used > 5_000 ? "command queue" : "connections");
  }
});

test("[CP3] a resource that is not measured or has no limit is left out", () => {
  assert.deepEqual(measure("", "").resources, []);
  const text = [
    'realmwatch_nats_stream_bytes{stream="SVC_STATE"} 30',
    'realmwatch_nats_stream_max_bytes{stream="SVC_STATE"} 100',
    'realmwatch_nats_stream_bytes{stream="SVC_EVENTS"} 30',
    'realmwatch_nats_stream_max_bytes{stream="SVC_EVENTS"} +Inf',
    "realmwatch_journal_bytes 300",
  ].join("\n");
  assert.deepEqual(shares(measure("", text)), [["stream SVC_STATE", 0.3, "ok"]]);
  assert.deepEqual(shares(measure("", `${text}\nrealmwatch_data_dir_free_bytes 100`))[0], [
    "disk of the data directory",
    0.75,
    "warning",
  ]);
});

test("[CP1] the mean time of a journal write and the processor time are those of the sample", () => {
  const at = (sum: number, count: number, cpu: number) =>
    `realmwatch_journal_sync_seconds_sum ${sum}\nrealmwatch_journal_sync_seconds_count ${count}\nrealmwatch_process_cpu_seconds_total ${cpu}`;
  const report = measure(at(100, 10, 5), at(100.2, 20, 20));
  assert.deepEqual(shares(report), [["journal write", 0.4, "ok"]]);
  assert.equal(report.processorCores, 1.5);
});
