import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { DeliveryEnd } from "@realmwatch/shared/model/notification";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { hide } from "@realmwatch/shared/platform/flags/secret";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { openProgramPool } from "../platform/programs/program-pool.ts";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import { contactMetrics } from "./delivery/contact-metrics.ts";
import type { ContactHealth } from "./delivery/delivery-hooks.ts";
import { openDispatcher } from "./dispatcher.ts";
import { notification, recovery } from "./notification.fixture.ts";
import { openReceiver } from "./http/http-receiver.fixture.ts";
import { common, noSettings } from "./contact-dependencies.fixture.ts";

/** A dispatcher as the agent has it. `until` waits for a condition. */
function openRealDispatcher(plans: readonly ContactPlan[], settings = noSettings) {
  const clock = systemClock;
  const programs = openProgramPool({ clock });
  const metrics = openMetrics({ program: "test", version: "0" });
  const ends: DeliveryEnd[] = [];
  let health = (): ContactHealth[] => [];
  const dispatcher = openDispatcher({
    clock,
    chance: () => 0,
    realm: "fra",
    publicUrl: undefined,
    settings,
    programs,
    resolver: openNameResolver({ clock }),
    contacts: () => new Map(plans.map((plan) => [plan.name, plan])),
    commands: () => ({ ok: { line: "/bin/true", shell: false } }),
    resources: () => ({}),
    async ended(some) {
      ends.push(...some);
    },
    hooks: contactMetrics(metrics, () => health()),
  });
  health = dispatcher.health;
  return {
    dispatcher,
    ends,
    metrics: async () => (await metrics.render()).text,
    async until(holds: () => boolean): Promise<void> {
      while (!holds()) await new Promise((resolve) => setTimeout(resolve, 5));
    },
    async [Symbol.asyncDispose]() {
      await dispatcher.close(0);
      await programs.close();
      metrics.close();
    },
  };
}

const webhook = (name: string, url: string, groupWaitMs = 0): ContactPlan => ({
  ...common,
  name,
  type: "webhook",
  url,
  groupWaitMs,
});

test("[DL8] F22 of many contacts the hostile ones delay nobody", async () => {
  await using good = await openReceiver();
  await using hanging = await openReceiver(() => {});
  await using broken = await openReceiver((response) => response.writeHead(500).end());
  await using open = openRealDispatcher([
    webhook("good", good.url),
    webhook("hanging", hanging.url),
    webhook("broken", broken.url),
    webhook("gone", "http://127.0.0.1:9/"),
    { ...common, name: "program", type: "command", command: "ok", args: [], address: "" },
  ]);
  const { dispatcher, ends } = open;
  const names = dispatcher.health().map(({ contact }) => contact);
  for (let at = 0; at < 100; at += 1) {
    const key = { kind: "host", name: `h${at}` } as const;
    dispatcher.take(names.map((contact) => notification({ id: `${contact}${at}`, contact, key })));
  }
  const delivered = (contact: string): number =>
    ends.filter((end) => end.notification.contact === contact && end.outcome === "delivered").length;
  await open.until(() => delivered("good") === 100 && delivered("program") === 100);
  await open.until(() =>
    dispatcher.health().every(({ contact, failing }) => contact !== "gone" || failing === "connect"),
  );
  assert.equal(ends.length, 200);
  assert.equal(dispatcher.waiting(), 300);
  const text = await open.metrics();
  assert.match(text, /realmwatch_notifications_total\{contact="good",type="webhook",outcome="delivered"\} 100/);
  assert.match(text, /realmwatch_notification_queue_length\{contact="hanging",type="webhook"\} 100/);
  assert.match(text, /realmwatch_notification_attempts_total\{contact="broken",type="webhook",result="server"\} \d/);
  assert.match(text, /realmwatch_contact_failing\{contact="gone",type="webhook",reason="connect"\} 1/);
});

test("[DL4, DL5] digests go through the real thing", async () => {
  await using receiver = await openReceiver();
  await using open = openRealDispatcher([webhook("ann", receiver.url, 200)]);
  const nowMs = systemClock.now();
  const at = { atMs: nowMs, sinceMs: nowMs };
  const other = { key: { kind: "host", name: "db1" }, problemId: "p2" } as const;
  open.dispatcher.take([notification(at), recovery(at), notification({ id: "n3", ...other, ...at })]);
  await open.until(() => open.ends.length === 3);
  assert.deepEqual(
    open.ends.map(({ notification: { id }, outcome }) => `${id} ${outcome}`),
    ["n1 cancelled", "n2 cancelled", "n3 delivered"],
  );
  assert.equal(receiver.received.length, 1);
});

test("[DL15] I11 no secret is in ends, health or metrics, whatever goes wrong", async () => {
  const canary = "c4naryc4nary";
  await using echo = await openReceiver((response, { body, path }) =>
    response.writeHead(400).end(JSON.stringify({ description: `${path} ${JSON.stringify(body)}`, errors: [path] })),
  );
  const settings = {
    ...noSettings,
    smtpUrl: `smtp://alice:${canary}@127.0.0.1:9`,
    smtpFrom: "noc@example.org",
    smtpPassword: hide(canary),
    messengerToken: hide(canary),
    incidentToken: hide(canary),
    messengerUrl: echo.url,
    pagerUrl: echo.url,
    incidentUrl: echo.url,
  };
  const plans: ContactPlan[] = [
    webhook("a", `${echo.url}/${canary}`),
    webhook("b", `http://${canary}.invalid/`),
    webhook("c", `htp:${canary}`),
    { ...common, name: "d", type: "pager", routingKey: canary },
    { ...common, name: "e", type: "incident", alertSourceConfigId: canary },
    { ...common, name: "f", type: "messenger", chatId: canary, groupWaitMs: 0 },
    { ...common, name: "g", type: "chat_webhook", webhookUrl: `${echo.url}/${canary}`, groupWaitMs: 0 },
    { ...common, name: "h", type: "email", address: "ann@example.org", groupWaitMs: 0 },
  ];
  await using open = openRealDispatcher(plans, settings);
  open.dispatcher.take(plans.map(({ name }) => notification({ id: name, contact: name })));
  await open.until(() => open.dispatcher.health().every(({ lastError }) => lastError !== ""));
  assert.equal(open.ends.length, 7);
  const said = JSON.stringify([open.ends, open.dispatcher.health(), await open.metrics()]);
  assert.doesNotMatch(said, new RegExp(`${canary}|${Buffer.from(canary).toString("base64")}`, "i"));
});

test("[DL14] F01 what was not told before the stop is told after the next start, under the same id", async () => {
  let answering = false;
  await using receiver = await openReceiver((response) => {
    if (answering) response.end();
  });
  const plans = [webhook("ann", receiver.url)];
  const told = [notification(), recovery()];
  {
    await using open = openRealDispatcher(plans);
    open.dispatcher.take(told);
    await open.until(() => receiver.received.length === 1);
    await open.dispatcher.close(10);
    assert.deepEqual(open.ends, []);
  }
  answering = true;
  await using again = openRealDispatcher(plans);
  again.dispatcher.take(told);
  await again.until(() => again.ends.length === 2);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["idempotency-key"]),
    ["n1", "n1", "n2"],
  );
});
