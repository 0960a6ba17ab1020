import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import type { Failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { startTestAgent, tempFolder } from "../../run/processes.ts";
import { sendCommand, statusRows } from "../../run/rows.ts";
import { countDeliveries, notificationSequences } from "./crash-points.ts";
import { wholeHistory } from "./stored-records.ts";

const documentOf = (hook: string, hosts: readonly string[]): string => `
contacts: ann: {type: "webhook", url: "${hook}/ann"}
notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]
hosts: {${hosts
  .map(
    (name) => `${name}: {
	address: "127.0.0.1"
	notification: "ops"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}
}`,
  )
  .join(", ")}}
`;

/** Failpoints, each with the number of recoveries delivered: two when the first was delivered and its end not stored. */
const points: readonly (readonly [Failpoint, number])[] = [
  ["before-intent", 1],
  ["after-intent", 1],
  ["before-sent", 2],
];

for (const [point, times] of points)
  test(`[RL9, RL8, RL7] an agent that is killed at ${point} during a start without a host still notifies the recovery`, async (t) => {
    const receiver = await startWebhookReceiver(t);
    const config = `${tempFolder(t, "document")}/config.cue`;
    const env: Record<string, string> = { NODE_ENV: "test", FAULT: "" };
    writeFileSync(config, documentOf(receiver.url, ["gone", "kept"]));
    const agent = await startTestAgent(t, { config, env });
    await sendCommand(agent.base, "ProcessCheckResult", {
      object: { host: { name: "gone" } },
      status: "STATUS_CRITICAL",
    });
    await sendCommand(agent.base, "AddComment", { target: { object: { host: { name: "gone" } } }, text: "why" });
    await until("the problem is notified", () => receiver.delivered.length === 1);
    await agent.stop();

    writeFileSync(config, documentOf(receiver.url, ["kept"]));
    env["FAULT"] = `${point}:1`;
    await agent.restart().catch(() => {});
    await until("it was killed", () => !isAlive(agent.pid));
    env["FAULT"] = "";
    await agent.restart();
    await until("the recovery is notified", () => receiver.delivered.length >= 1 + times);
    // A third start sends nothing more.
    await agent.restart();
    assert.deepEqual(Object.keys(await statusRows(agent.base)), ["kept"]);
    assert.deepEqual([...notificationSequences(receiver.delivered)], [["ann gone", "PROBLEM RECOVERY"]]);
    assert.deepEqual([...countDeliveries(receiver.delivered).values()], [1, times]);
    const history = (await wholeHistory(agent, {})).map(({ type }) => type);
    assert.equal(history.filter((type) => type === "HISTORY_TYPE_COMMENT_DELETED").length, 1);
    assert.equal(history.filter((type) => type === "HISTORY_TYPE_CONFIG").length, 1);
  });

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
}
