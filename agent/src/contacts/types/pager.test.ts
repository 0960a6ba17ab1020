import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import { canarySecret, contactContract, openHttpContact } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { openHttpReceiver, type ReceivedRequest } from "../http/http-receiver.fixture.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";

const routingKey = "c4nary00c4nary00c4nary00c4nary00";
const pager: ContactPlan = { ...commonContactFields, type: "pager", routingKey };

const of = (kind: NotificationKind, more = {}) => problemNotification({ id: `id-${kind}`, kind, ...more });

contactContract("pager", (behaviour) =>
  openHttpContact(behaviour, ({ url }) => ({
    plan: { ...commonContactFields, type: "pager", routingKey: canarySecret },
    settings: { pagerUrl: url },
  })),
);

/** Asserts what PagerDuty requires of an event. */
function checkPagerEvent({ path, body }: ReceivedRequest): void {
  assert.equal(body.routing_key, routingKey);
  if (path === "/v2/change/enqueue") {
    assert.deepEqual(Object.keys(body).toSorted(), ["links", "payload", "routing_key"]);
    assert.ok(body.payload.summary.length <= 1_024 && body.payload.source !== "");
    return;
  }
  assert.equal(path, "/v2/enqueue");
  assert.ok(["trigger", "acknowledge", "resolve"].includes(body.event_action));
  assert.ok(body.dedup_key.length > 0 && body.dedup_key.length <= 255);
  if (body.event_action !== "trigger") {
    assert.deepEqual(Object.keys(body).toSorted(), ["dedup_key", "event_action", "routing_key"]);
    return;
  }
  const allowed = ["client", "client_url", "dedup_key", "event_action", "links", "payload", "routing_key"];
  assert.deepEqual(Object.keys(body).toSorted(), allowed);
  const { summary, source, severity, timestamp, custom_details: details } = body.payload;
  assert.ok(summary.length >= 1 && summary.length <= 1_024);
  assert.ok(typeof source === "string" && source !== "");
  assert.ok(["critical", "error", "warning", "info"].includes(severity));
  assert.match(timestamp, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$/);
  assert.equal(typeof details, "object");
  assert.ok(JSON.stringify(body).length < 512_000);
}

test("[DL10] a pager's alert is triggered, acknowledged and resolved under one key", async () => {
  await using service = await openHttpReceiver((response) => response.writeHead(202).end('{"status":"success"}'));
  await using open = openTestContactDependencies({ settings: { pagerUrl: service.url } });
  const sent = [of("PROBLEM"), of("STATUS_CHANGE"), of("ACKNOWLEDGEMENT", { author: "bob" }), recoveryNotification()];
  for (const one of sent) assert.deepEqual(await open.send(pager, [one]), { kind: "delivered" });
  service.received.forEach(checkPagerEvent);
  assert.deepEqual(
    service.received.map(({ body }) => body.event_action),
    ["trigger", "trigger", "acknowledge", "resolve"],
  );
  assert.equal(new Set(service.received.map(({ body }) => body.dedup_key)).size, 1);
  const [trigger] = service.received;
  assert.equal(trigger?.headers["idempotency-key"], "id-PROBLEM");
  assert.equal(trigger?.body.payload.summary, "CRITICAL: http on web1 [fra]: HTTP 503 after 2.1 s");
  assert.equal(trigger?.body.payload.severity, "critical");
  assert.equal(trigger?.body.payload.source, "web1");
  assert.equal(trigger?.body.payload.component, "http");
});

test("every kind gives a valid event of PagerDuty, also with long texts", async () => {
  await using service = await openHttpReceiver((response) => response.writeHead(202).end());
  await using open = openTestContactDependencies({ settings: { pagerUrl: service.url } });
  const long = "x\u0007".repeat(400_000);
  for (const kind of notificationKinds)
    await open.send(pager, [of(kind, { output: long, longOutput: long, comment: long, author: "bob" })]);
  assert.equal(service.received.length, notificationKinds.length);
  service.received.forEach(checkPagerEvent);
  const keys = new Map(service.received.map(({ body }, at) => [notificationKinds[at], body.dedup_key]));
  assert.equal(keys.get("FLAPPING_START"), keys.get("FLAPPING_STOP"));
  assert.notEqual(keys.get("FLAPPING_START"), keys.get("PROBLEM"));
  assert.notEqual(keys.get("CUSTOM"), keys.get("PROBLEM"));
  assert.equal(keys.get("DOWNTIME_START"), undefined);
});

test("[DL15] a response of PagerDuty is quoted unless it contains the key", async () => {
  let message = "Length of 'routing_key' is incorrect";
  await using service = await openHttpReceiver((response) =>
    response.writeHead(400).end(JSON.stringify({ status: "invalid event", errors: [message] })),
  );
  await using open = openTestContactDependencies({ settings: { pagerUrl: service.url } });
  const detail = `answered 400: "Length of 'routing_key' is incorrect"`;
  assert.deepEqual(await open.send(pager, [of("PROBLEM")]), { kind: "rejected", reason: "refused", detail });
  for (message of [`bad key ${routingKey}`, `bad key ${Buffer.from(routingKey).toString("base64")}`, "<b>no</b>"])
    assert.equal(JSON.stringify(await open.send(pager, [of("PROBLEM")])).includes("bad key"), false);
});
