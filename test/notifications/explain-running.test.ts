import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver, type WebhookReceiver } from "../acceptance/webhook-receiver.ts";
import { call } from "../run/call.ts";
import { outputOf } from "../run/cli.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { hostTarget, sendCommand } from "../run/rows.ts";

// Explanations of a running agent after a removed acknowledgement, the end of a downtime and a reload.

type Settings = { readonly policy?: string; readonly interval?: string; readonly disabled?: string };

const documentOf = (
  { url }: WebhookReceiver,
  { policy = "ops", interval = "0s", disabled = "" }: Settings = {},
): string => `
hosts: web1: {
	address: "127.0.0.1"
	notification: "${policy}"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}
}
contacts: ops: {type: "webhook", url: "${url}/ops"}
notifications: ops: levels: [{contacts: ["ops"], renotify_interval: "${interval}", disabled_kinds: [${disabled}]}]
`;

/** Running agent with a document that can be replaced. */
async function startWith(scope: TestScope, settings?: Settings) {
  const receiver = await startWebhookReceiver(scope);
  const file = join(tempFolder(scope, "document"), "config.cue");
  writeFileSync(file, documentOf(receiver, settings));
  const agent = await startTestAgent(scope, { config: file });
  const reload = async (next: Settings): Promise<void> => {
    const before = await reloadsOf(agent);
    writeFileSync(file, documentOf(receiver, next));
    agent.signal("SIGHUP");
    await until("the document is reloaded", async () => (await reloadsOf(agent)) > before);
  };
  return { agent, reload };
}

/** Number of records of a loaded document. */
async function reloadsOf({ base }: TestProgram): Promise<number> {
  const { body } = await call(base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_CONFIG"] });
  return ((body["records"] ?? []) as unknown[]).length;
}

const report = ({ base }: TestProgram, status: string) =>
  sendCommand(base, "ProcessCheckResult", {
    object: { host: { name: "web1" } },
    status: `STATUS_${status}`,
    output: status.toLowerCase(),
  });

type Notification = {
  readonly because?: { readonly reason: string };
  readonly deliveries?: readonly { readonly kind: string; readonly state: string }[];
};

async function notificationOf({ base }: TestProgram): Promise<Notification> {
  const { body } = await call(base, "QueryService/ListStatus", {});
  const [row] = body["rows"] as { notification?: Notification }[];
  return row?.notification ?? {};
}
/** Reason of the row and its deliveries: `decided, PROBLEM DELIVERED`. */
async function stateOf(agent: TestProgram): Promise<string> {
  const { because, deliveries = [] } = await notificationOf(agent);
  const words = deliveries.map(({ kind, state }) =>
    `${kind} ${state}`.replace(/NOTIFICATION_KIND_|DELIVERY_STATE_/g, ""),
  );
  return [because?.reason, ...words].join(", ");
}
const reaches = (agent: TestProgram, state: string): Promise<unknown> =>
  until(`the row says ${state}`, async () => (await stateOf(agent)) === state);

/** Sentences about notifications, without times and ids. */
const withoutTimes = (sentences: readonly string[]): readonly string[] =>
  sentences
    .filter((sentence) => !/^(web1|Last checked)/.test(sentence))
    .map((sentence) =>
      sentence
        .replaceAll(/\d{4}-\d\d-\d\d \d\d:\d\d:\d\d( \(\d+[a-z]+ ago\))?/g, "TIME")
        .replaceAll(/"[0-9][0-9a-z]{12,}"|\b[0-9][0-9a-z]{12,}(?= by)/g, "ID"),
    );

/** Sentences of `realmwatch explain`, which are the same in its text and its JSON. */
async function explain({ base }: TestProgram): Promise<readonly string[]> {
  const words = ["explain", "web1", "-server", base];
  const text = await outputOf(words, {});
  const { explanation } = JSON.parse(await outputOf([...words, "-output", "json"], {}));
  const sentences = withoutTimes(explanation);
  assert.deepEqual(withoutTimes(text.slice(0, text.indexOf("\n\n")).split("\n")), sentences);
  return sentences;
}

const decidedOnce = "Escalation level 0: 1 notification decided at this level; last at TIME.";
const undecided = "Escalation level 0: no notification of this problem decided yet.";
const notRepeated = [
  "No further notification is scheduled: the escalation level does not repeat them (rule NO7).",
  "For another one: the status has to change, the problem to end, or the configuration to set `renotify_interval`.",
];
const untilRemoved = "For a notification: the acknowledgement has to be removed or to expire, or the problem to end.";

test("[NO25, NO17] explain names an acknowledgement and its remedy, and after its removal the notification that it delayed", async (t) => {
  const { agent } = await startWith(t);
  await report(agent, "CRITICAL");
  await reaches(agent, "decided, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [decidedOnce, "PROBLEM to ops: delivered at TIME", ...notRepeated]);

  const acknowledgement = { target: hostTarget("web1"), sticky: true, author: "ann", comment: "on it" };
  await sendCommand(agent.base, "AcknowledgeProblem", acknowledgement);
  await report(agent, "WARNING");
  await reaches(agent, "acknowledged, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [
    ...[decidedOnce, "PROBLEM to ops: delivered at TIME"],
    ...['Suppressed: the problem is acknowledged by "ann" (rule NO17).', untilRemoved],
    "Acknowledged by ann TIME, until recovery: on it",
  ]);

  await sendCommand(agent.base, "RemoveAcknowledgement", { target: hostTarget("web1"), author: "ann" });
  await reaches(agent, "decided, STATUS_CHANGE DELIVERED");
  assert.deepEqual(await explain(agent), [
    decidedOnce.replace("1 notification", "2 notifications"),
    ...["STATUS_CHANGE to ops: delivered at TIME", ...notRepeated],
  ]);
});

test("[NO25, NO7] explain says under which condition the next repetition is sent", async (t) => {
  const { agent, reload } = await startWith(t, { interval: "1h" });
  await report(agent, "CRITICAL");
  await reaches(agent, "decided, PROBLEM DELIVERED");
  const next = async (): Promise<string | undefined> => (await explain(agent)).find((line) => line.startsWith("Next"));
  assert.equal(await next(), "Next notification: TIME, unless suppressed (rule NO7).");
  await sendCommand(agent.base, "AcknowledgeProblem", { target: hostTarget("web1"), author: "ann", comment: "on it" });
  await until(
    "the acknowledgement is named",
    async () =>
      (await next()) === "Next notification: TIME, but suppressed while the problem is acknowledged (rule NO17).",
  );
  await sendCommand(agent.base, "RemoveAcknowledgement", { target: hostTarget("web1"), author: "ann" });
  await until("it is no more", async () => (await next())?.endsWith("unless suppressed (rule NO7).") === true);
  await reload({ policy: "" });
  await reaches(agent, "no_policy, PROBLEM DELIVERED");
  assert.deepEqual((await explain(agent)).slice(1, 4), [
    "PROBLEM to ops: delivered at TIME",
    "Suppressed: no notification policy applies to this object (rule NO1).",
    "For a notification: the configuration has to give the object a `notification` policy.",
  ]);
});

test("[NO25, NO18] explain names a downtime and its remedy; after its end, what was notified then", async (t) => {
  const { agent } = await startWith(t, { disabled: '"DOWNTIME_START", "DOWNTIME_END", "DOWNTIME_CANCELLED"' });
  const schedule = async (forMs: number): Promise<string> => {
    const window = { start: new Date().toISOString(), end: new Date(Date.now() + forMs).toISOString() };
    const request = { target: hostTarget("web1"), ...window, author: "ann", comment: "disks" };
    const { body } = await sendCommand(agent.base, "ScheduleDowntime", request);
    return (body["downtimeIds"] as string[])[0] ?? assert.fail();
  };
  await report(agent, "OK");
  const downtimeId = await schedule(3_600_000);
  await report(agent, "CRITICAL");
  await reaches(agent, "downtime");
  assert.deepEqual(await explain(agent), [
    ...[undecided, "Suppressed: in downtime ID, until TIME (rule NO18)."],
    "For a notification: the downtime has to end or be deleted, while the state still holds.",
    "In downtime until TIME: ID by ann, disks",
  ]);
  await sendCommand(agent.base, "DeleteDowntime", { downtimeId, author: "ann" });
  await reaches(agent, "decided, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [decidedOnce, "PROBLEM to ops: delivered at TIME", ...notRepeated]);

  await report(agent, "OK");
  await reaches(agent, "decided, RECOVERY DELIVERED");
  await schedule(2_000);
  await report(agent, "CRITICAL");
  await until("the downtime ends by itself", async () => (await stateOf(agent)) === "decided, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [decidedOnce, "PROBLEM to ops: delivered at TIME", ...notRepeated]);

  await schedule(3_600_000);
  await report(agent, "OK");
  await reaches(agent, "downtime, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [
    "The object has no problem, so there is nothing to notify.",
    "About the end of its last problem: in downtime ID, until TIME (rule NO18).",
    "For a notification: the downtime has to end or be deleted, while the state still holds.",
    ...["PROBLEM to ops: delivered at TIME", "In downtime until TIME: ID by ann, disks"],
  ]);
});

test("[NO25, NO8] explain follows a reload, and does not take an earlier problem's delivery for that of the present one", async (t) => {
  const { agent, reload } = await startWith(t);
  await report(agent, "CRITICAL");
  await reaches(agent, "decided, PROBLEM DELIVERED");
  await reload({ policy: "" });
  await report(agent, "OK");
  await until("the recovery is suppressed", async () => (await stateOf(agent)) === "no_policy, PROBLEM DELIVERED");
  assert.deepEqual(await explain(agent), [
    "The object has no problem, so there is nothing to notify.",
    "About the end of its last problem: no notification policy applies to this object (rule NO1).",
    "PROBLEM to ops: delivered at TIME",
  ]);
  await report(agent, "CRITICAL");
  const earlier = "About an earlier problem: PROBLEM to ops: delivered at TIME";
  await until("the problem is explained", async () => (await explain(agent))[0] === earlier);
  assert.deepEqual(await explain(agent), [
    ...[earlier, "Suppressed: no notification policy applies to this object (rule NO1)."],
    "For a notification: the configuration has to give the object a `notification` policy.",
  ]);
  await reload({ disabled: '"PROBLEM"' });
  await reaches(agent, "kind_disabled, PROBLEM DELIVERED");
  const disabled = [
    ...[undecided, earlier],
    "Suppressed when it was due: the escalation level did not send notifications of this kind (rule NO8).",
    "For the next one: the kind must not be in `disabled_kinds` of the level when it is due: at a change, a repetition, the next problem.",
    ...notRepeated,
  ];
  assert.deepEqual(await explain(agent), disabled);
  await reload({});
  assert.deepEqual(await explain(agent), disabled);
  await report(agent, "WARNING");
  await reaches(agent, "decided, STATUS_CHANGE DELIVERED");
  assert.deepEqual(await explain(agent), [decidedOnce, "STATUS_CHANGE to ops: delivered at TIME", ...notRepeated]);
});
