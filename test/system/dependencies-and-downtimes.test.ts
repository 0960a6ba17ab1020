import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}`;
const everyDay = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]
  .map((day) => `${day}: "00:00-24:00"`)
  .join(", ");

/** Document with a dependency, and a recurring downtime that is always in effect. */
const document = `
hosts: {
	ups: {address: "127.0.0.1", ${passive}}
	web1: {address: "127.0.0.1", labels: {env: "lab"}, ${passive}, services: {http: {${passive}}}}
}
timeperiods: {
	always: ranges: {${everyDay}}
	move: {ranges: "2040-06-01": "10:00-12:00", timezone: "UTC"}
	past: ranges: "2020-06-01": "10:00-12:00"
}
downtimes: move: {selector: "@name=ups", scope: "host", period: "move", comment: "to the new hall"}
downtimes: moved: {selector: "@name=ups", scope: "host", period: "past", comment: "to the old hall"}
downtimes: lab: {selector: "env=lab", scope: "host", period: "always", comment: "lab"}
dependencies: power: {dependents: [{ref: "web1!http"}], on: ref: "ups", fails_on: ["critical"]}
`;

const http = serviceTarget("web1", "http");
const ups = { object: { host: { name: "ups" } } };

test("[DT8-DT10] a recurring downtime is in rows, cannot be deleted, and starts once over a crash", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  const inDowntime = () =>
    until("it is in downtime", async () => (await statusRows(agent.base))["web1"]?.inDowntime === true);
  await inDowntime();
  const { body } = await call(agent.base, "QueryService/ListStatus", {});
  const rows = body["rows"] as { object: unknown; downtimes?: Record<string, unknown>[] }[];
  const downtimes = rows.flatMap(({ downtimes: own = [] }) => own);
  const downtime = downtimes.find(({ id }) => id === "recurring:lab");
  assert.equal(downtime?.["id"], "recurring:lab");
  assert.deepEqual(downtime?.["recurring"], { name: "lab" });
  assert.equal(downtime?.["comment"], "lab");
  const distant = downtimes.filter(({ id }) => String(id).startsWith("recurring:move"));
  assert.deepEqual(
    distant.map(({ id, start, end, inEffect = false }) => [id, start, end, inEffect]),
    [["recurring:move", "2040-06-01T10:00:00Z", "2040-06-01T12:00:00Z", false]],
    "one that never occurs again is not shown",
  );
  const deleted = await call(agent.base, "CommandService/DeleteDowntime", { downtimeId: "recurring:lab" });
  assert.equal(deleted.code, "failed_precondition");
  assert.match(deleted.message ?? "", /recurring:lab/);
  const unknown = await call(agent.base, "CommandService/DeleteDowntime", { downtimeId: "recurring:other" });
  assert.equal(unknown.code, "not_found");
  const starts = async () => {
    const history = await call(agent.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_DOWNTIME_START"] });
    return (history.body["records"] as unknown[]).length;
  };
  assert.equal(await starts(), 1);
  await agent.stop("SIGKILL");
  await agent.restart();
  await inDowntime();
  assert.equal(await starts(), 1, "its start is notified once");
});

test("[DP6] a problem with a failed dependency names it until that clears", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  await sendCommand(agent.base, "ProcessCheckResult", { ...ups, status: "STATUS_CRITICAL", output: "no power" });
  await sendCommand(agent.base, "ProcessCheckResult", {
    object: http.object,
    status: "STATUS_CRITICAL",
    output: "gone",
  });
  const suppressedBy = async () => (await statusRows(agent.base))["web1!http"]?.suppressedBy;
  await until("the dependency is named", async () => (await suppressedBy())?.includes("power") === true);
  await sendCommand(agent.base, "ProcessCheckResult", { ...ups, status: "STATUS_OK", output: "power" });
  await until("the dependency is not named", async () => ((await suppressedBy()) ?? []).length === 0);
});

test("[RL6] SIGHUP: added and removed dependencies and recurring downtimes apply at once", async (t) => {
  const config = `${tempFolder(t, "reload")}/config.cue`;
  const bare = document
    .split("\n")
    .filter((line) => !/^(downtimes|dependencies)/.test(line))
    .join("\n");
  writeFileSync(config, bare);
  const agent = await startTestAgent(t, { config });
  await sendCommand(agent.base, "ProcessCheckResult", { ...ups, status: "STATUS_CRITICAL", output: "no power" });
  await sendCommand(agent.base, "ProcessCheckResult", {
    object: http.object,
    status: "STATUS_CRITICAL",
    output: "gone",
  });
  const reload = (text: string): void => {
    writeFileSync(config, text);
    agent.signal("SIGHUP");
  };
  const shows = (name: string, covered: boolean) =>
    until(name, async () => {
      const rows = await statusRows(agent.base);
      const suppressed = rows["web1!http"]?.suppressedBy?.includes("power") === true;
      return suppressed === covered && (rows["web1"]?.inDowntime ?? false) === covered;
    });
  reload(document);
  await shows("both are in effect", true);
  reload(bare);
  await shows("both are removed", false);
});

test("[TG2] dropped results are counted", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  await sendCommand(agent.base, "SetProgramToggle", { toggle: "PROGRAM_TOGGLE_PASSIVE_CHECKS", enabled: false });
  await sendCommand(agent.base, "ProcessCheckResult", { ...ups, status: "STATUS_CRITICAL", output: "no power" });
  await until("it is counted", async () => {
    const metrics = await (await fetch(`${agent.base}/metrics`)).text();
    return (
      /results_dropped_passive_off_total(\{[^}]*\})? 1/.test(metrics) && /results_dropped_stale_total/.test(metrics)
    );
  });
});
