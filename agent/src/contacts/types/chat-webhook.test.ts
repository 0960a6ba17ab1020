import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { canarySecret, contactContract, openHttpContact } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { openHttpReceiver } from "../http/http-receiver.fixture.ts";
import { problemNotification } from "../notification.fixture.ts";

const room = (url: string): ContactPlan => ({
  ...commonContactFields,
  type: "chat_webhook",
  webhookUrl: url,
  groupWaitMs: 0,
});

contactContract("chat_webhook", (behaviour) =>
  openHttpContact(behaviour, ({ url }) => ({
    plan: { ...commonContactFields, type: "chat_webhook", webhookUrl: `${url}/${canarySecret}`, groupWaitMs: 0 },
  })),
);

test("[DL12] a chat room shows hostile texts literally and without mentions", async () => {
  await using service = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const hostile = "<!here> <@U123> @channel @all ```x``` [a](javascript:b) ![p](http://x/y) a&b \u202egnp\u001b[31m";
  const kind = "ACKNOWLEDGEMENT";
  const sent = problemNotification({ kind, author: hostile, comment: hostile, output: hostile, longOutput: hostile });
  assert.deepEqual(await open.send(room(`${service.url}/services/c4naryc4nary`), [sent]), { kind: "delivered" });
  const [got] = service.received;
  assert.deepEqual(Object.keys(got?.body).toSorted(), ["attachments", "mrkdwn", "text"]);
  const all = JSON.stringify(got?.body).replaceAll("```\\n", "").replaceAll("\\n```", "");
  assert.doesNotMatch(all, /<|>|@channel|@all|@here|```|\]\(|\p{Cc}|\u202e/u);
  assert.match(all, /a&amp;b/);
  const [attachment] = got?.body.attachments ?? [];
  assert.match(attachment.color, /^#[0-9a-f]{6}$/);
  assert.equal(attachment.title_link, "https://mon.example.org/o/fra/web1/http");
});

test("a chat room receives a digest with a bounded number of attachments", async () => {
  await using service = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const many = Array.from({ length: 50 }, (_, at) => problemNotification({ id: `n${at}`, comment: "on it" }));
  await open.send(room(service.url), many);
  const { text, attachments } = service.received[0]?.body ?? {};
  assert.equal(text, "50 problems [fra]");
  assert.equal(attachments.length, 21);
  assert.equal(attachments[20].text, "and 30 more");
  assert.deepEqual(
    attachments[0].fields.map(({ title, value }: Record<string, string>) => [title, value]),
    [
      ["Comment", "on it"],
      ["Since", "2026-11-21 08:55:00 UTC, for 5m"],
    ],
  );
});

test("[DL15] a response of the chat service is quoted unless it contains the URL", async () => {
  let body = "channel_is_archived";
  await using service = await openHttpReceiver((response) => response.writeHead(410).end(body));
  await using open = openTestContactDependencies();
  const contact = room(`${service.url}/services/T00/B00/c4naryc4nary`);
  const detail = 'answered 410: "channel_is_archived"';
  assert.deepEqual(await open.send(contact, [problemNotification()]), { kind: "rejected", reason: "refused", detail });
  body = "no such hook C4NARYc4nary";
  assert.doesNotMatch(JSON.stringify(await open.send(contact, [problemNotification()])), /hook|c4nary/i);
});
