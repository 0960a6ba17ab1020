import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { NotificationKind } from "@realmwatch/shared/model/notification";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import type { DeliverySettings } from "../delivery-settings.ts";
import { openHttpReceiver, type ReceivedRequest, type HttpReceiver } from "../http/http-receiver.fixture.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";

const routingKey = "c4nary00c4nary00c4nary00c4nary00";
const pager: ContactPlan = { ...commonContactFields, type: "pager", routingKey };
const incident: ContactPlan = { ...commonContactFields, type: "incident", alertSourceConfigId: "01C4NARY5Z3T8K" };
const messenger: ContactPlan = { ...commonContactFields, type: "messenger", chatId: "-100777888999", groupWaitMs: 0 };
const room = (url: string): ContactPlan => ({ ...commonContactFields, type: "chat_webhook", webhookUrl: url, groupWaitMs: 0 });

const settingsAt = ({ url }: HttpReceiver): Partial<DeliverySettings> => ({
  messengerToken: hideSecret("123456:c4naryTOKENc4nary"),
  incidentToken: hideSecret("c4nary-incident-token"),
  messengerUrl: url,
  pagerUrl: url,
  incidentUrl: url,
});

const of = (kind: NotificationKind, more = {}) => problemNotification({ id: `id-${kind}`, kind, ...more });

/** What PagerDuty checks of an event. */
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
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
  const told = [of("PROBLEM"), of("STATUS_CHANGE"), of("ACKNOWLEDGEMENT", { author: "bob" }), recoveryNotification()];
  for (const one of told) assert.deepEqual(await open.send(pager, [one]), { kind: "delivered" });
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

test("every kind is an event that a pager's service takes, however long its texts are", async () => {
  await using service = await openHttpReceiver((response) => response.writeHead(202).end());
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
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

test("[DL15] what a pager's service says is quoted, unless it repeats the key", async () => {
  let said = "Length of 'routing_key' is incorrect";
  await using service = await openHttpReceiver((response) =>
    response.writeHead(400).end(JSON.stringify({ status: "invalid event", errors: [said] })),
  );
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
  const detail = `answered 400: "Length of 'routing_key' is incorrect"`;
  assert.deepEqual(await open.send(pager, [of("PROBLEM")]), { kind: "rejected", reason: "refused", detail });
  for (said of [`bad key ${routingKey}`, `bad key ${Buffer.from(routingKey).toString("base64")}`, "<b>no</b>"])
    assert.equal(JSON.stringify(await open.send(pager, [of("PROBLEM")])).includes("bad key"), false);
});

test("[DL10] an incident alert fires and is resolved under one key", async () => {
  await using service = await openHttpReceiver((response) => response.writeHead(202).end('{"status":"success"}'));
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
  const told = notificationKinds.map((kind) => of(kind, { author: "bob", comment: "on it" }));
  for (const one of told) assert.deepEqual(await open.send(incident, [one]), { kind: "delivered" });
  for (const { path, headers, body } of service.received) {
    assert.equal(path, "/v2/alert_events/http/01C4NARY5Z3T8K");
    assert.equal(headers.authorization, "Bearer c4nary-incident-token");
    const fields = ["deduplication_key", "description", "metadata", "source_url", "status", "title"];
    assert.deepEqual(Object.keys(body).toSorted(), fields);
    assert.ok(body.status === "firing" || body.status === "resolved");
    assert.ok(body.title !== "" && body.deduplication_key !== "");
  }
  const events = new Map(service.received.map(({ body }) => [body.metadata.kind, body]));
  const keyOf = (kind: NotificationKind) => events.get(kind).deduplication_key;
  assert.equal(events.get("RECOVERY").status, "resolved");
  assert.equal(keyOf("RECOVERY"), keyOf("PROBLEM"));
  assert.equal(keyOf("ACKNOWLEDGEMENT"), keyOf("PROBLEM"));
  assert.equal(events.get("ACKNOWLEDGEMENT").metadata.acknowledged_by, "bob");
  assert.equal(events.get("DOWNTIME_START").status, "resolved");
  assert.notEqual(keyOf("DOWNTIME_START"), keyOf("PROBLEM"));
});

test("a messenger gets plain text that Telegram takes", async () => {
  await using service = await openHttpReceiver((response) => response.end('{"ok":true,"result":{}}'));
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
  const many = Array.from({ length: 200 }, (_, at) =>
    problemNotification({ id: `n${at}`, key: { kind: "host", name: `h${at}` }, output: "😀@all ".repeat(400) }),
  );
  assert.deepEqual(await open.send(messenger, [problemNotification()]), { kind: "delivered" });
  assert.deepEqual(await open.send(messenger, many), { kind: "delivered" });
  assert.deepEqual(await open.send(messenger, many.slice(0, 1)), { kind: "delivered" });
  for (const { path, body } of service.received) {
    assert.equal(path, "/bot123456:c4naryTOKENc4nary/sendMessage");
    assert.deepEqual(Object.keys(body).toSorted(), ["chat_id", "link_preview_options", "text"]);
    assert.equal(body.chat_id, "-100777888999");
    assert.ok(body.text.length >= 1 && body.text.length <= 4_096, `${body.text.length}`);
    assert.doesNotMatch(body.text, /@all/);
  }
  assert.match(service.received[0]?.body.text, /^Service http on web1 in realm fra is CRITICAL\.\n/);
  assert.match(service.received[1]?.body.text, /^200 problems \[fra\]\n[\s\S]*and \d+ more$/);
});

test("[DL7, DL15] Telegram's answers", async () => {
  let status = 429;
  let said: unknown = { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 11 } };
  await using service = await openHttpReceiver((response) => response.writeHead(status).end(JSON.stringify(said)));
  await using open = openTestContactDependencies({ settings: settingsAt(service) });
  const attempt = () => open.send(messenger, [problemNotification()]);
  const detail = 'answered 429: too many messages: "Too Many Requests"';
  assert.deepEqual(await attempt(), { kind: "retry", reason: "rate_limited", detail, afterMs: 11_000 });
  status = 400;
  said = { ok: false, description: "Bad Request: chat not found" };
  const notFound = 'answered 400: "Bad Request: chat not found"';
  assert.deepEqual(await attempt(), { kind: "rejected", reason: "refused", detail: notFound });
  said = {
    ok: false,
    description: "Bad Request: group chat was upgraded",
    parameters: { migrate_to_chat_id: -100123 },
  };
  assert.match(JSON.stringify(await attempt()), /has become a supergroup, which has another chat_id/);
  status = 404;
  assert.match(JSON.stringify(await attempt()), /-messenger-token is not valid there/);
});

test("[DL12] a room shows hostile texts as they are and calls nobody", async () => {
  await using service = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const hostile = "<!here> <@U123> @channel @all ```x``` [a](javascript:b) ![p](http://x/y) a&b \u202egnp\u001b[31m";
  const kind = "ACKNOWLEDGEMENT";
  const told = problemNotification({ kind, author: hostile, comment: hostile, output: hostile, longOutput: hostile });
  assert.deepEqual(await open.send(room(`${service.url}/services/c4naryc4nary`), [told]), { kind: "delivered" });
  const [got] = service.received;
  assert.deepEqual(Object.keys(got?.body).toSorted(), ["attachments", "mrkdwn", "text"]);
  const all = JSON.stringify(got?.body).replaceAll("```\\n", "").replaceAll("\\n```", "");
  assert.doesNotMatch(all, /<|>|@channel|@all|@here|```|\]\(|\p{Cc}|\u202e/u);
  assert.match(all, /a&amp;b/);
  const [attachment] = got?.body.attachments ?? [];
  assert.match(attachment.color, /^#[0-9a-f]{6}$/);
  assert.equal(attachment.title_link, "https://mon.example.org/o/fra/web1/http");
});

test("a room gets a digest with a bounded number of attachments", async () => {
  await using service = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const many = Array.from({ length: 50 }, (_, at) => problemNotification({ id: `n${at}` }));
  await open.send(room(service.url), many);
  const { text, attachments } = service.received[0]?.body ?? {};
  assert.equal(text, "50 problems [fra]");
  assert.equal(attachments.length, 21);
  assert.equal(attachments[20].text, "and 30 more");
});

test("[DL15] what a room's service says is quoted, unless it repeats the address", async () => {
  let said = "channel_is_archived";
  await using service = await openHttpReceiver((response) => response.writeHead(410).end(said));
  await using open = openTestContactDependencies();
  const contact = room(`${service.url}/services/T00/B00/c4naryc4nary`);
  const detail = 'answered 410: "channel_is_archived"';
  assert.deepEqual(await open.send(contact, [problemNotification()]), { kind: "rejected", reason: "refused", detail });
  said = "no such hook C4NARYc4nary";
  assert.doesNotMatch(JSON.stringify(await open.send(contact, [problemNotification()])), /hook|c4nary/i);
});

test("[DL17] a flag that is missing is named", async () => {
  await using open = openTestContactDependencies();
  const mail: ContactPlan = { ...commonContactFields, type: "email", address: "ann@example.org", groupWaitMs: 0 };
  const cases: [ContactPlan, string][] = [
    [messenger, "the message cannot be sent: -messenger-token is not set"],
    [incident, "the alert cannot be sent: -incident-token is not set"],
    [mail, "mail cannot be sent: -smtp-url is not set"],
  ];
  for (const [contact, detail] of cases)
    assert.deepEqual(await open.send(contact, [problemNotification()]), { kind: "rejected", reason: "setup", detail });
});
