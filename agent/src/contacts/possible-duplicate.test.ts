import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { mayHaveArrived } from "../platform/outbound/delivery-result.ts";
import { commonContactFields, openTestContactDependencies } from "./contact-dependencies.fixture.ts";
import { markedNotification } from "./contact-message.ts";
import { openHttpReceiver } from "./http/http-receiver.fixture.ts";
import { mailHeader, openMailServer } from "./mail/mail-server.fixture.ts";
import { problemNotification, recoveryNotification } from "./notification.fixture.ts";

const words = /possible[ _]duplicate"?: ?"?an earlier attempt may have arrived/i;
const sent = problemNotification();
const marked = markedNotification(sent);
const email: ContactPlan = { ...commonContactFields, type: "email", address: "ann@example.org", groupWaitMs: 0 };

test("[PA43] a webhook has the mark in each entry and in a header, and an unmarked message has neither", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const contact: ContactPlan = { ...commonContactFields, type: "webhook", url: receiver.url, groupWaitMs: 0 };
  const other = recoveryNotification({ key: { kind: "host", name: "db1" } });
  for (const notifications of [[sent], [marked], [marked, other]]) await open.send(contact, notifications);
  const seen = receiver.received.map(({ headers, body }) => [
    headers["x-realmwatch-possible-duplicate"],
    headers["idempotency-key"],
    body.notifications.map((entry: Record<string, unknown>) => entry["possibleDuplicate"]),
  ]);
  assert.deepEqual(seen.slice(0, 2), [
    [undefined, "n1", [undefined]],
    ["1", "n1", [true]],
  ]);
  assert.deepEqual([seen[2]?.[0], seen[2]?.[2]], ["1", [true, undefined]]);
});

test("[PA43] a mail says it in words and in a header, with the same Message-ID, and a digest at the entry", async () => {
  await using server = await openMailServer();
  const settings = { smtpUrl: `smtp://127.0.0.1:${server.port}`, smtpFrom: "noc@example.org" };
  await using open = openTestContactDependencies({ settings });
  const other = recoveryNotification({ key: { kind: "host", name: "db1" } });
  for (const notifications of [[sent], [marked], [other, marked]]) await open.send(email, notifications);
  const [plain, repeated, digest] = server.mails;
  assert.ok(plain && repeated && digest);
  assert.doesNotMatch(plain.text, words);
  assert.match(repeated.text, words);
  assert.match(repeated.text, /Possible duplicate<\/td>/);
  assert.equal(mailHeader(plain, "X-Realmwatch-Possible-Duplicate"), "");
  assert.equal(mailHeader(repeated, "X-Realmwatch-Possible-Duplicate"), "1");
  assert.equal(mailHeader(plain, "Message-ID"), mailHeader(repeated, "Message-ID"));
  assert.match(digest.text, /\* CRITICAL: http on web1 \[fra\][\s\S]*Possible duplicate: an earlier attempt/);
  assert.equal(digest.text.match(/Possible duplicate: an earlier/g)?.length, 1);
});

test("[PA43] chat, messenger, pager and incident say it in words under the same key", async () => {
  await using receiver = await openHttpReceiver((response) => response.writeHead(202).end("{}"));
  const { url } = receiver;
  const contacts: readonly ContactPlan[] = [
    { ...commonContactFields, type: "chat_webhook", webhookUrl: url, groupWaitMs: 0 },
    { ...commonContactFields, type: "messenger", chatId: "7", groupWaitMs: 0 },
    { ...commonContactFields, type: "pager", routingKey: "key" },
    { ...commonContactFields, type: "incident", alertSourceConfigId: "source" },
  ];
  await using open = openTestContactDependencies({
    settings: {
      ...{ messengerUrl: url, pagerUrl: url, incidentUrl: url },
      ...{ messengerToken: hideSecret("t"), incidentToken: hideSecret("t") },
    },
  });
  for (const contact of contacts) {
    const [first, second] = [await open.send(contact, [sent]), await open.send(contact, [marked])];
    assert.deepEqual([first.kind, second.kind], ["delivered", "delivered"], contact.type);
    const [plain, repeated] = receiver.received.splice(0);
    assert.doesNotMatch(JSON.stringify(plain?.body), /possible.duplicate/i, contact.type);
    // A chat has label and text as two fields.
    const text = JSON.stringify(repeated?.body).replace('","value":"', ": ");
    assert.match(text, words, contact.type);
    assert.equal(plain?.headers["idempotency-key"], repeated?.headers["idempotency-key"]);
    const keyOf = (body: Record<string, unknown> | undefined) => body?.["dedup_key"] ?? body?.["deduplication_key"];
    assert.equal(keyOf(plain?.body), keyOf(repeated?.body), contact.type);
  }
});

test("[PA43] a command has a macro that is 1 for a possible duplicate, else 0", async () => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-duplicate-"));
  try {
    const out = join(folder, "out");
    const script = join(folder, "show.sh");
    const variable = "$NAGIOS_NOTIFICATIONPOSSIBLEDUPLICATE";
    writeFileSync(script, `#!/bin/sh\necho "$1 ${variable}" >> "${out}"\n`, { mode: 0o755 });
    await using open = openTestContactDependencies({
      commands: { notify: { line: `${script} $NOTIFICATIONPOSSIBLEDUPLICATE$`, shell: false } },
    });
    const own = { type: "command", command: "notify", args: [], address: "" } as const;
    const contact: ContactPlan = { ...commonContactFields, ...own };
    for (const one of [sent, marked]) await open.send(contact, [one]);
    assert.equal(readFileSync(out, "utf8"), "0 0\n1 1\n");
  } finally {
    rmSync(folder, { recursive: true });
  }
});

test("[PA43] a connection that breaks before the content of a mail leaves no doubt, one that breaks after it does", async () => {
  for (const [breaksAt, isDoubtful] of [
    ["EHLO", false],
    ["DATA", false],
    ["content", true],
  ] as const) {
    await using server = createServer((socket) => {
      socket.on("error", () => {}).write("220 test\r\n");
      let inContent = false;
      socket.on("data", (chunk) => {
        const line = chunk.toString();
        if (inContent || line.startsWith(breaksAt)) socket.destroy();
        else if (line.startsWith("DATA")) {
          inContent = true;
          socket.write("354 go on\r\n");
        } else socket.write("250 ok\r\n");
      });
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { port: number };
    await using open = openTestContactDependencies({
      settings: { smtpUrl: `smtp://127.0.0.1:${port}?tls=off`, smtpFrom: "noc@example.org" },
    });
    const result = await open.send(email, [sent]);
    assert.ok(result.kind === "retry", JSON.stringify(result));
    assert.equal(mayHaveArrived(result), isDoubtful, `${breaksAt}: ${JSON.stringify(result)}`);
  }
});
