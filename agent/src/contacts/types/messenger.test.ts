import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { canarySecret, contactContract, openHttpContact } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { openHttpReceiver } from "../http/http-receiver.fixture.ts";
import { problemNotification } from "../notification.fixture.ts";

const messenger: ContactPlan = { ...commonContactFields, type: "messenger", chatId: "-100777888999", groupWaitMs: 0 };
const messengerToken = hideSecret("123456:c4naryTOKENc4nary");

contactContract("messenger", (behaviour) =>
  openHttpContact(behaviour, ({ url }) => ({
    plan: { ...commonContactFields, type: "messenger", chatId: canarySecret, groupWaitMs: 0 },
    settings: { messengerToken: hideSecret(canarySecret), messengerUrl: url },
  })),
);

test("a messenger receives plain text within the limits of Telegram", async () => {
  await using service = await openHttpReceiver((response) => response.end('{"ok":true,"result":{}}'));
  await using open = openTestContactDependencies({ settings: { messengerToken, messengerUrl: service.url } });
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

test("[DL7, DL15] error responses of Telegram are classified and quoted", async () => {
  let status = 429;
  let body: unknown = { ok: false, error_code: 429, description: "Too Many Requests", parameters: { retry_after: 11 } };
  await using service = await openHttpReceiver((response) => response.writeHead(status).end(JSON.stringify(body)));
  await using open = openTestContactDependencies({ settings: { messengerToken, messengerUrl: service.url } });
  const attempt = () => open.send(messenger, [problemNotification()]);
  const detail = 'answered 429: too many messages: "Too Many Requests"';
  assert.deepEqual(await attempt(), { kind: "retry", reason: "rate_limited", detail, afterMs: 11_000 });
  status = 400;
  body = { ok: false, description: "Bad Request: chat not found" };
  const notFound = 'answered 400: "Bad Request: chat not found"';
  assert.deepEqual(await attempt(), { kind: "rejected", reason: "refused", detail: notFound });
  body = {
    ok: false,
    description: "Bad Request: group chat was upgraded",
    parameters: { migrate_to_chat_id: -100123 },
  };
  assert.match(JSON.stringify(await attempt()), /has become a supergroup, which has another chat_id/);
  status = 404;
  assert.match(JSON.stringify(await attempt()), /-messenger-token is not valid there/);
});
