import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver, type WebhookReceiver } from "../acceptance/webhook-receiver.ts";
import { call } from "../run/call.ts";
import { outputOf } from "../run/cli.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";

// A receiver that takes nothing: no surface may say that a contact was notified, and the fallback contact is notified.

const documentOf = ({ url }: WebhookReceiver, fallback = ""): string => `
hosts: web1: {
	address: "127.0.0.1"
	notification: "ops"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}
}
contacts: {
	dead: {type: "webhook", url: "${url}/dead"${fallback}}
	standby: {type: "webhook", url: "${url}/standby"}
	watch: {type: "webhook", url: "${url}/watch", heartbeat: interval: "10s"}
}
notifications: ops: levels: [{contacts: ["dead"], renotify_interval: "0s"}]
`;
const withFallback = ', fallback: "standby", fallback_after: "10s"';

const report = ({ base }: TestProgram, status: string) =>
  sendCommand(base, "ProcessCheckResult", {
    object: { host: { name: "web1" } },
    status: `STATUS_${status}`,
    output: "x",
  });

function hasEnded({ pid }: TestProgram): boolean {
  try {
    return !process.kill(pid, 0);
  } catch {
    return true;
  }
}

type Delivery = { readonly contact: string; readonly kind: string; readonly state: string; readonly error?: string };
type Contact = {
  readonly name: string;
  readonly failingSince?: string;
  readonly lastError?: string;
  readonly queued?: number;
};

async function deliveriesOf(base: string): Promise<readonly Delivery[]> {
  const { body } = await call(base, "QueryService/ListStatus", {});
  const [row] = body["rows"] as { notification?: { deliveries?: Delivery[]; because?: { reason: string } } }[];
  return row?.notification?.deliveries ?? [];
}
/** Each delivery as `contact KIND STATE`, without the prefixes of the enums. */
const statesOf = async (base: string): Promise<string> =>
  (await deliveriesOf(base))
    .map(({ contact, kind, state }) => `${contact} ${kind} ${state}`.replace(/NOTIFICATION_KIND_|DELIVERY_STATE_/g, ""))
    .join(", ");

async function contactOf(base: string, name: string): Promise<Contact> {
  const { body } = await call(base, "QueryService/ListContacts", {});
  return (body["contacts"] as Contact[]).find((contact) => contact.name === name) ?? assert.fail();
}
async function notificationTypes(base: string): Promise<readonly string[]> {
  const { body } = await call(base, "QueryService/ListHistory", {});
  const records = (body["records"] ?? []) as { type: string; contact?: string }[];
  return records
    .filter(({ type }) => type.startsWith("HISTORY_TYPE_NOTIFICATION"))
    .map(({ type, contact }) => `${type.replace("HISTORY_TYPE_", "")} ${contact}`);
}

/** Words that claim that a person was reached. */
const claims = /\bsent\b|\bnotified\b|(?<!not )\bdelivered\b/i;

/** Failing contact for which a notification of the host waits, and since when; undefined for none. */
async function waitingForOf(base: string): Promise<{ contact?: string; failingSince?: string } | undefined> {
  const { body } = await call(base, "QueryService/ListStatus", { object: { host: { name: "web1" } } });
  const [row] = body["rows"] as { notification?: { waitingFor?: object } }[];
  return row?.notification?.waitingFor;
}

test("[NO23, NO25, DL32] with a dead receiver no surface says that a contact was notified", async (t) => {
  const receiver = await startWebhookReceiver(t);
  receiver.setBehaviour("dead", 503);
  const [nats, redis] = await Promise.all([startNats(t), startRedis(t)]);
  const flags = { "nats-url": nats.url };
  const agent = await startTestAgent(t, { config: documentOf(receiver), realm: "fra", flags });
  const realms = `realms: fra: url: "${agent.base}"\n`;
  const [memory, stored] = await Promise.all([
    startTestAggregator(t, { realms, flags }),
    startTestAggregator(t, { realms, flags: { ...flags, "redis-url": redis.url } }),
  ]);
  const surfaces = [agent, memory, stored];
  await report(agent, "CRITICAL");
  for (const { base } of surfaces) {
    await until("the delivery fails", async () => (await statesOf(base)) === "dead PROBLEM FAILING");
    await until("the contact fails", async () => (await contactOf(base, "dead")).failingSince !== undefined);
    await until("history has the decision", async () => (await notificationTypes(base)).length > 0);
    const { lastError, queued } = await contactOf(base, "dead");
    assert.match(lastError ?? "", /503/);
    assert.equal(queued, 1);
    assert.deepEqual(await notificationTypes(base), ["NOTIFICATION_QUEUED dead"]);
    assert.equal((await contactOf(base, "standby")).failingSince, undefined);
    await until("the row names the contact", async () => (await waitingForOf(base))?.contact === "dead");
    assert.equal((await waitingForOf(base))?.failingSince, (await contactOf(base, "dead")).failingSince);
    const status = await outputOf(["status", "-server", base], {});
    assert.match(status, /not delivered: dead failing for/);
    assert.match(status, /^CONTACT FAILING: dead/);
    const texts = [status];
    for (const words of [["history"], ["explain", "web1"]]) texts.push(await outputOf([...words, "-server", base], {}));
    for (const text of texts) assert.doesNotMatch(text, claims);
  }
  const metrics = await (await fetch(`${agent.base}/metrics`)).text();
  assert.match(metrics, /^realmwatch_contact_failing\{contact="dead"\} 1$/m);
  assert.match(metrics, /^realmwatch_contact_failing\{contact="standby"\} 0$/m);
  assert.doesNotMatch(metrics, /^realmwatch_notification_outcomes_total\{.*outcome="delivered"/m);
  for (const program of surfaces) assert.doesNotMatch(program.output(), /notification delivered/);
  for (const { base } of [memory, stored])
    assert.doesNotMatch(await (await fetch(`${base}/metrics`)).text(), /outcome="delivered"/);
  await stored.restart();
  await until("Redis keeps the delivery", async () => (await statesOf(stored.base)) === "dead PROBLEM FAILING");
  assert.match((await contactOf(stored.base, "dead")).lastError ?? "", /503/);

  receiver.setBehaviour("dead", "ok");
  for (const { base } of surfaces) {
    await until("the delivery succeeds", async () => (await statesOf(base)) === "dead PROBLEM DELIVERED");
    await until("the contact is well", async () => (await contactOf(base, "dead")).failingSince === undefined);
    await until("the row waits no more", async () => (await waitingForOf(base)) === undefined);
    await until("history has the delivery", async () => (await notificationTypes(base)).length === 2);
    assert.deepEqual(await notificationTypes(base), ["NOTIFICATION dead", "NOTIFICATION_QUEUED dead"]);
  }
});

test("[DL22, DL23] the fallback is notified in time and once, although the agent is killed before and after", async (t) => {
  const receiver = await startWebhookReceiver(t);
  receiver.setBehaviour("dead", "reset");
  const agent = await startTestAgent(t, { config: documentOf(receiver, withFallback) });
  const standby = () => receiver.delivered.filter(({ contact }) => contact === "standby");
  const reportedMs = performance.now();
  await report(agent, "CRITICAL");
  await until("an attempt failed", () => receiver.attempts("dead") > 0);
  await agent.stop("SIGKILL");
  await agent.restart();
  await until("the fallback is notified", () => standby().length === 1);
  assert.ok(performance.now() - reportedMs > 9_900, "not before fallback_after");
  await until("its delivery is stored", async () => /standby PROBLEM DELIVERED/.test(await statesOf(agent.base)));
  const [problem] = standby()[0]?.notifications ?? [];
  assert.equal(problem?.kind, "PROBLEM");
  assert.match(problem?.comment ?? "", /Contact "dead" has not received/);
  const before = receiver.attempts("dead");
  await agent.stop("SIGKILL");
  await agent.restart();
  await until("the first contact is tried further", () => receiver.attempts("dead") > before);
  await report(agent, "OK");
  await until("the fallback gets the recovery", () => standby().length === 2);
  assert.deepEqual(
    standby().flatMap(({ notifications }) => notifications.map(({ kind }) => kind)),
    ["PROBLEM", "RECOVERY"],
  );
  receiver.setBehaviour("dead", "ok");
  const dead = () => receiver.delivered.filter(({ contact }) => contact === "dead");
  await until("the first contact gets both too", () => dead().length === 2, { withinMs: 90_000 });
  assert.equal(standby().length, 2);
});

test("[DL22] an agent that crashes while it falls back does so after the restart, once, however late that is", async (t) => {
  /** Crashes the agent at a point of its second notification, which is that to the fallback. */
  async function crashAt(point: string): Promise<void> {
    const receiver = await startWebhookReceiver(t);
    receiver.setBehaviour("dead", 503);
    const env = { NODE_ENV: "test", FAULT: `${point}:2` };
    const agent = await startTestAgent(t, { config: documentOf(receiver, withFallback), env });
    await report(agent, "CRITICAL");
    await until(`it crashes ${point}`, () => hasEnded(agent), { withinMs: 60_000 });
    const standby = () => receiver.delivered.filter(({ contact }) => contact === "standby");
    assert.equal(standby().length, 0, point);
    env.FAULT = "";
    await agent.restart();
    await until("the fallback is notified", () => standby().length === 1, { withinMs: 60_000 });
    await until("its delivery is stored", async () => /standby PROBLEM DELIVERED/.test(await statesOf(agent.base)));
    await report(agent, "OK");
    await until("the fallback gets the recovery", () => standby().length > 1, { withinMs: 60_000 });
    const kinds = standby().flatMap(({ notifications }) => notifications.map(({ kind }) => kind));
    assert.deepEqual(kinds, ["PROBLEM", "RECOVERY"], point);
  }
  await Promise.all(["before-intent", "after-intent"].map(crashAt));
});

test("[DL24] a heartbeat has realm, version and time, and is not a notification of the contact", async (t) => {
  const receiver = await startWebhookReceiver(t);
  const agent = await startTestAgent(t, { config: documentOf(receiver), realm: "fra" });
  await until("a heartbeat", () => receiver.delivered.length > 0);
  const [{ contact = "", notifications = [], key = "", id = "" } = {}] = receiver.delivered;
  const [heartbeat] = notifications as unknown as readonly Record<string, string>[];
  assert.deepEqual([contact, heartbeat?.["kind"], heartbeat?.["realm"]], ["watch", "HEARTBEAT", "fra"]);
  const { body } = await call(agent.base, "QueryService/GetServerInfo", {});
  assert.equal(heartbeat?.["version"], body["version"]);
  assert.ok(Date.parse(heartbeat?.["at"] ?? "") > 0);
  assert.equal(key, id);
  assert.equal((await contactOf(agent.base, "watch")).queued ?? 0, 0);
  assert.deepEqual(await notificationTypes(agent.base), []);
});
