import assert from "node:assert/strict";
import { type AddressInfo, connect, createServer } from "node:net";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { CompletedDelivery } from "@realmwatch/shared/model/notification";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openNameResolver } from "../platform/dns/name-resolver.ts";
import type { AttemptResult } from "../platform/outbound/delivery-result.ts";
import { openProgramPool } from "../platform/programs/program-pool.ts";
import { manualRight } from "../platform/right/manual-right.fixture.ts";
import type { RightToAct } from "../platform/right/right-to-act.ts";
import { commonContactFields, noDeliverySettings } from "./contact-dependencies.fixture.ts";
import { contactMetrics } from "./delivery/contact-metrics.ts";
import type { ContactHealth } from "./delivery/delivery-reports.ts";
import { type Dispatcher, openDispatcher } from "./dispatcher.ts";
import { openHttpReceiver } from "./http/http-receiver.fixture.ts";
import { mailHeader, openMailServer } from "./mail/mail-server.fixture.ts";
import { problemNotification, recoveryNotification } from "./notification.fixture.ts";

/** Dispatcher as the agent opens it. `until` waits for a condition. */
function openRealDispatcher(plans: readonly ContactPlan[], settings = noDeliverySettings, right?: RightToAct) {
  const clock = systemClock;
  const programs = openProgramPool({ clock });
  const metrics = openMetrics({ version: "0", commit: "unknown" });
  const ends: CompletedDelivery[] = [];
  let health = (): ContactHealth[] => [];
  const attempts: { readonly contact: string; readonly result: AttemptResult }[] = [];
  const counted = contactMetrics(metrics, () => health());
  const dispatcher = openDispatcher({
    ...{ clock, right, marksDuplicates: right !== undefined },
    random: () => 0,
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
    attemptsFailed: () => {},
    overdue: () => {},
    hooks: {
      ...counted,
      attempted(contact, result, tookMs) {
        attempts.push({ contact: contact.contact, result });
        counted.attempted(contact, result, tookMs);
      },
    },
  });
  health = dispatcher.health;
  return {
    dispatcher,
    ends,
    /** Attempts of all contacts, in order. */
    attempts,
    metrics: async () => (await metrics.render()).text,
    async [Symbol.asyncDispose]() {
      await dispatcher.close(0);
      await programs.close();
      metrics.close();
    },
  };
}

const webhook = (name: string, url: string, groupWaitMs = 0): ContactPlan => ({
  ...commonContactFields,
  name,
  type: "webhook",
  url,
  groupWaitMs,
});

/** Number of notifications of all contacts that have not ended. */
const waitingIn = ({ health }: Pick<Dispatcher, "health">): number =>
  health().reduce((sum, { waiting }) => sum + waiting, 0);

test("[DL8, ME5] failing contacts do not delay others", async () => {
  await using good = await openHttpReceiver();
  await using hanging = await openHttpReceiver(() => {});
  await using broken = await openHttpReceiver((response) => response.writeHead(500).end());
  await using open = openRealDispatcher([
    webhook("good", good.url),
    webhook("hanging", hanging.url),
    webhook("broken", broken.url),
    webhook("gone", "http://127.0.0.1:9/"),
    { ...commonContactFields, name: "program", type: "command", command: "ok", args: [], address: "" },
  ]);
  const { dispatcher, ends } = open;
  const names = dispatcher.health().map(({ contact }) => contact);
  for (let at = 0; at < 100; at += 1) {
    const key = { kind: "host", name: `h${at}` } as const;
    dispatcher.enqueue(names.map((contact) => problemNotification({ id: `${contact}${at}`, contact, key })));
  }
  const delivered = (contact: string): number =>
    ends.filter((end) => end.notification.contact === contact && end.outcome === "delivered").length;
  await until("all deliveries", () => delivered("good") === 100 && delivered("program") === 100);
  await until("the unreachable contact fails", () =>
    dispatcher.health().every(({ contact, failing }) => contact !== "gone" || failing === "connect"),
  );
  assert.equal(ends.length, 200);
  assert.equal(waitingIn(dispatcher), 300);
  const text = await open.metrics();
  assert.match(text, /realmwatch_notification_outcomes_total\{contact="good",type="webhook",outcome="delivered"\} 100/);
  assert.match(text, /realmwatch_contact_queue_length\{contact="hanging",type="webhook"\} 100/);
  assert.match(text, /realmwatch_notifications_total\{contact_type="webhook",kind="PROBLEM"\} 100/i);
  assert.match(text, /realmwatch_notification_retries_total [1-9]/);
  assert.match(text, /realmwatch_notification_queue_length 300/);
  assert.match(text, /realmwatch_notification_attempts_total\{contact="broken",type="webhook",result="server"\} \d/);
});

test("[DL4, DL5] a digest is gathered, cancelled and delivered", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openRealDispatcher([webhook("ann", receiver.url, 200)]);
  const nowMs = systemClock.now();
  const at = { atMs: nowMs, sinceMs: nowMs };
  const other = { key: { kind: "host", name: "db1" }, problemId: "p2" } as const;
  open.dispatcher.enqueue([
    problemNotification(at),
    recoveryNotification(at),
    problemNotification({ id: "n3", ...other, ...at }),
  ]);
  await until("three ends", () => open.ends.length === 3);
  assert.deepEqual(
    open.ends.map(({ notification: { id }, outcome }) => `${id} ${outcome}`),
    ["n1 cancelled", "n2 cancelled", "n3 delivered"],
  );
  assert.equal(receiver.received.length, 1);
});

test("[DL15, ME5] no failure puts a secret into ends, health or metrics", async () => {
  const canary = "c4naryc4nary";
  await using echo = await openHttpReceiver((response, { body, path }) =>
    response.writeHead(400).end(JSON.stringify({ description: `${path} ${JSON.stringify(body)}`, errors: [path] })),
  );
  const settings = {
    ...noDeliverySettings,
    smtpUrl: `smtp://alice:${canary}@127.0.0.1:9`,
    smtpFrom: "noc@example.org",
    smtpPassword: hideSecret(canary),
    messengerToken: hideSecret(canary),
    incidentToken: hideSecret(canary),
    messengerUrl: echo.url,
    pagerUrl: echo.url,
    incidentUrl: echo.url,
  };
  const plans: ContactPlan[] = [
    webhook("a", `${echo.url}/${canary}`),
    webhook("b", `http://${canary}.invalid/`),
    webhook("c", `htp:${canary}`),
    { ...commonContactFields, name: "d", type: "pager", routingKey: canary },
    { ...commonContactFields, name: "e", type: "incident", alertSourceConfigId: canary },
    { ...commonContactFields, name: "f", type: "messenger", chatId: canary, groupWaitMs: 0 },
    { ...commonContactFields, name: "g", type: "chat_webhook", webhookUrl: `${echo.url}/${canary}`, groupWaitMs: 0 },
    { ...commonContactFields, name: "h", type: "email", address: "ann@example.org", groupWaitMs: 0 },
  ];
  await using open = openRealDispatcher(plans, settings);
  open.dispatcher.enqueue(plans.map(({ name }) => problemNotification({ id: name, contact: name })));
  await until(
    "each contact has an error",
    () => new Set(open.attempts.map(({ contact }) => contact)).size === plans.length,
  );
  assert.equal(open.ends.length, 7);
  const metrics = await open.metrics();
  assert.match(metrics, /notifications_failed_total\{contact_type="webhook",contact="a",reason="refused"\} 1/);
  assert.ok(open.attempts.every(({ result }) => result.kind !== "delivered" && result.detail !== ""));
  const reported = JSON.stringify([open.ends, open.attempts, open.dispatcher.health(), metrics]);
  assert.doesNotMatch(reported, new RegExp(`${canary}|${Buffer.from(canary).toString("base64")}`, "i"));
});

test("[DL14] notifications that were pending at the stop are delivered after the next start, under the same id", async () => {
  let answering = false;
  await using receiver = await openHttpReceiver((response) => {
    if (answering) response.end();
  });
  const plans = [webhook("ann", receiver.url)];
  const pending = [problemNotification(), recoveryNotification()];
  {
    await using open = openRealDispatcher(plans);
    open.dispatcher.enqueue(pending);
    await until("the request arrives", () => receiver.received.length === 1);
    await open.dispatcher.close(10);
    assert.deepEqual(open.ends, []);
  }
  answering = true;
  await using again = openRealDispatcher(plans);
  again.dispatcher.enqueue(pending);
  await until("two ends", () => again.ends.length === 2);
  assert.deepEqual(
    receiver.received.map(({ headers }) => headers["idempotency-key"]),
    ["n1", "n1", "n2"],
  );
});

/** TCP proxy in front of a mail server; the first connection ends instead of the answer to a mail's content. */
async function openLossyProxy(t: TestScope, port: number): Promise<number> {
  let connections = 0;
  const proxy = createServer((client) => {
    connections += 1;
    const isLossy = connections === 1;
    const server = connect(port, "127.0.0.1");
    let isContentSent = false;
    for (const socket of [client, server])
      socket.on("error", () => {}).on("close", () => [client, server].map((one) => one.destroy()));
    client.pipe(server);
    server.on("data", (chunk) => {
      if (isLossy && isContentSent) client.destroy();
      else client.write(chunk);
      isContentSent ||= /^354 /m.test(chunk.toString());
    });
  });
  await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
  atEnd(t, () => void proxy.close());
  return (proxy.address() as AddressInfo).port;
}

test("[PA40, PA43] real receivers get nothing without the right, and what they took when the connection broke again under its id, marked", async (t) => {
  await using receiver = await openHttpReceiver((response) => {
    if (receiver.received.length === 1) response.destroy();
    else response.end();
  });
  await using server = await openMailServer();
  const port = await openLossyProxy(t, server.port);
  const own = { name: "mail", type: "email", address: "a@example.org", groupWaitMs: 0 } as const;
  const settings = { ...noDeliverySettings, smtpUrl: `smtp://127.0.0.1:${port}`, smtpFrom: "noc@example.org" };
  const right = manualRight(systemClock);
  const plans: readonly ContactPlan[] = [webhook("hook", receiver.url), { ...commonContactFields, ...own }];
  await using open = openRealDispatcher(plans, settings, right);
  const { dispatcher, ends } = open;
  right.end();
  dispatcher.enqueue([
    problemNotification({ id: "h", contact: "hook" }),
    problemNotification({ id: "m", contact: "mail" }),
  ]);
  await new Promise((resolve) => setImmediate(resolve));
  assert.deepEqual([receiver.sockets.size, server.connections(), waitingIn(dispatcher)], [0, 0, 2]);
  right.grant(60_000);
  await until("both are delivered", () => ends.length === 2);
  assert.deepEqual(
    receiver.received.map(({ headers, body }) => [
      headers["idempotency-key"],
      headers["x-realmwatch-possible-duplicate"],
      body.notifications[0].possibleDuplicate,
    ]),
    [
      ["h", undefined, undefined],
      ["h", "1", true],
    ],
  );
  const marks = server.mails.map((mail) => mailHeader(mail, "X-Realmwatch-Possible-Duplicate"));
  const ids = server.mails.map((mail) => mailHeader(mail, "Message-ID"));
  assert.deepEqual(marks, ["", "1"]);
  assert.equal(new Set(ids).size, 1);
  assert.ok(ends.every(({ outcome, notification }) => outcome === "delivered" && notification.possibleDuplicate));
});
