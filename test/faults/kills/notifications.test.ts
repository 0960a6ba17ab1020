import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { test } from "node:test";
import { makeSelfSignedCertificate } from "@realmwatch/agent/contacts/connect/certificate.fixture";
import { openHttpReceiver } from "@realmwatch/agent/contacts/http/http-receiver.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { startTestAgent, type TestProgram, tempFolder } from "../../run/processes.ts";
import { sendCommand } from "../../run/rows.ts";
import {
  countDeliveries,
  crashPoints,
  crashRepeatedly,
  notificationSequences,
  startCrashingAgent,
  submitForAllHosts,
} from "./crash-points.ts";

test("[DL1, DL18, DU1] with a crash at each of five points a notification is repeated after one of them only", async (t) => {
  const under = await startCrashingAgent(t, { hosts: 1, contacts: ["ann"] });
  const { receiver } = under;
  const counts: number[] = [];
  // Each start continues with the notification that the last crash interrupted.
  for (const [at, point] of crashPoints.entries()) {
    await under.restartWith(point);
    if (at === 0) await submitForAllHosts(under, 1, "CRITICAL");
    await under.waitForCrash();
    counts.push(receiver.delivered.length);
  }
  assert.deepEqual(
    counts,
    [0, 0, 0, 1, 2],
    "nothing arrives before the request; one is repeated after the response and before its end is stored",
  );
  // The next notification is lost before it is stored. The command is stored, so that it is decided again.
  await under.restartWith("before-intent");
  await submitForAllHosts(under, 1, "OK");
  await under.waitForCrash();
  await under.restartWith();
  await until("the recovery is notified", () => receiver.delivered.length >= 3);
  assert.deepEqual([...countDeliveries(receiver.delivered).values()], [2, 1]);
  assert.deepEqual([...notificationSequences(receiver.delivered).values()], ["PROBLEM RECOVERY"]);
  for (const { key, id } of receiver.delivered) assert.equal(key, id);
});

test("[DL1, DL18, NO14] an agent that is killed repeatedly loses no notification and repeats none twice", async (t) => {
  t.diagnostic(`${await crashRepeatedly(t, 3)} notifications were delivered twice`);
});

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const policyOf = (contacts: readonly string[]): string =>
  `notifications: ops: levels: [{contacts: [${contacts.map((name) => `"${name}"`).join(", ")}], renotify_interval: "0s"}]`;

async function metricsOf({ base }: TestProgram): Promise<string> {
  return (await fetch(`${base}/metrics`)).text();
}

const breakHost = (agent: TestProgram, name: string) =>
  sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name } }, status: "STATUS_CRITICAL" });

test("[DL8, DL7] failing receivers do not delay a working one, and are notified once they work", async (t) => {
  const hostile = { hung: "hang", slow: "trickle", loud: "flood", broken: 500, busy: 429, rude: "reset" } as const;
  const bad = Object.keys(hostile);
  const contacts = [...bad, "good"];
  const receiver = await startWebhookReceiver(t);
  for (const [name, behaviour] of Object.entries(hostile)) receiver.setBehaviour(name, behaviour);
  const hosts = Array.from({ length: 20 }, (_, at) => `h${at}`);
  const agent = await startTestAgent(t, {
    config: `
contacts: {${contacts.map((name) => `${name}: {type: "webhook", url: "${receiver.url}/${name}"}`).join(", ")}}
${policyOf(contacts)}
hosts: {${hosts.map((name) => `${name}: {address: "a", notification: "ops", ${passive}}`).join(", ")}}
`,
  });
  const deliveredTo = (contact: string): number => receiver.delivered.filter((one) => one.contact === contact).length;
  for (const name of hosts) await breakHost(agent, name);
  await until("the working one has all", () => deliveredTo("good") === hosts.length);
  // A response counts by its status: a slow or endless body does not matter.
  await until("so do those that accepted them", () =>
    ["slow", "loud"].every((name) => deliveredTo(name) === hosts.length),
  );
  for (const name of ["hung", "broken", "busy", "rude"]) assert.equal(deliveredTo(name), 0);
  await until("the metrics count the failures", async () => {
    const text = await metricsOf(agent);
    return ["broken", "busy", "rude"].every((name) => new RegExp(`attempts_total{contact="${name}".*[1-9]`).test(text));
  });
  const attempts = receiver.attempts("rude");
  assert.ok(attempts <= 3 * hosts.length, `a failing receiver gets few requests: ${attempts} attempts`);
  for (const name of bad) receiver.setBehaviour(name, "ok");
  await until("all have all", () => contacts.every((name) => deliveredTo(name) === hosts.length), {
    withinMs: 60_000,
  });
  for (const times of countDeliveries(receiver.delivered).values()) assert.equal(times, 1);
});

/** Opens an HTTPS receiver with a certificate. */
async function openSecure(scope: TestScope, pair: ReturnType<typeof makeSelfSignedCertificate>) {
  const receiver = await openHttpReceiver(undefined, pair);
  atEnd(scope, async () => {
    await receiver[Symbol.asyncDispose]();
  });
  return receiver;
}

test("[DL16] a receiver with an invalid certificate is sent nothing, and the metrics name the reason", async (t) => {
  const pairs = {
    good: makeSelfSignedCertificate(),
    expired: makeSelfSignedCertificate({ until: "20210101000000Z" }),
    other: makeSelfSignedCertificate({ names: "DNS:other.example.org" }),
    unknown: makeSelfSignedCertificate(),
  };
  const receivers = {
    good: await openSecure(t, pairs.good),
    expired: await openSecure(t, pairs.expired),
    other: await openSecure(t, pairs.other),
    unknown: await openSecure(t, pairs.unknown),
  };
  const trusted = `${tempFolder(t)}/trusted.pem`;
  writeFileSync(trusted, [pairs.good, pairs.expired, pairs.other].map(({ cert }) => cert).join("\n"));
  const contacts = Object.entries(receivers).map(([name, { url }]) => `${name}: {type: "webhook", url: "${url}/"}`);
  const agent = await startTestAgent(t, {
    config: `
contacts: {${contacts.join(", ")}}
${policyOf(Object.keys(receivers))}
hosts: db: {address: "a", notification: "ops", ${passive}}
`,
    env: { NODE_EXTRA_CA_CERTS: trusted },
  });
  await breakHost(agent, "db");
  await until("the receiver with the valid one is notified", () => receivers.good.received.length === 1);
  const failing = (name: string): RegExp => new RegExp(`attempts_total{contact="${name}".*result="tls".* [1-9]`);
  await until("the others fail", async () => {
    const text = await metricsOf(agent);
    return ["expired", "other", "unknown"].every((name) => failing(name).test(text));
  });
  for (const { received } of [receivers.expired, receivers.other, receivers.unknown]) assert.equal(received.length, 0);
  const text = await metricsOf(agent);
  assert.doesNotMatch(text, failing("good"));
});
