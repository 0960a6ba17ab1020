import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { openHttpReceiver, type ReceivedRequest } from "@realmwatch/agent/contacts/http/http-receiver.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { SMTPServer } from "smtp-server";
import { startTestAgent, tempFolder } from "../run/processes.ts";
import { hostTarget, sendCommand } from "../run/rows.ts";

/** Starts a mail server that accepts every message. */
async function startMailServer(
  scope: TestScope,
): Promise<{ readonly port: number; readonly mails: readonly string[] }> {
  const mails: string[] = [];
  const server = new SMTPServer({
    authOptional: true,
    disabledCommands: ["STARTTLS"],
    closeTimeout: 100,
    onData(stream, _, done) {
      let text = "";
      stream.on("data", (chunk: Buffer) => {
        text += chunk.toString("utf8");
      });
      stream.on("end", () => {
        mails.push(text);
        done();
      });
    },
  });
  server.on("error", () => {});
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  atEnd(scope, () => new Promise<void>((resolve) => server.close(() => resolve())));
  return { port: (server.server.address() as AddressInfo).port, mails };
}

const document = (url: string, program: string): string => `
commands: notify: line: "${program} $NOTIFICATIONTYPE$ $HOSTNAME$ $HOSTSTATE$"
contacts: {
	mail: {type: "email", address: "ann@example.org"}
	hook: {type: "webhook", url: "${url}/hook"}
	script: {type: "command", command: "notify"}
	bot: {type: "messenger", chat_id: "-100777"}
	page: {type: "pager", routing_key: "0123456789abcdef0123456789abcdef"}
	room: {type: "chat_webhook", webhook_url: "${url}/room"}
	desk: {type: "incident", alert_source_config_id: "01SOURCE"}
}
notifications: all: levels: [{contacts: ["mail", "hook", "script", "bot", "page", "room", "desk"]}]
hosts: db: {
	address: "127.0.0.1"
	notification: "all"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
}
`;

test("[DL19] a running agent notifies each of the seven contact types of a problem and of its recovery", async (t) => {
  const mail = await startMailServer(t);
  const service = await openHttpReceiver((response) => response.writeHead(202).end(`{"ok":true,"status":"success"}`));
  atEnd(t, async () => {
    await service[Symbol.asyncDispose]();
  });
  const out = `${tempFolder(t)}/output`;
  const program = `${tempFolder(t)}/notify.sh`;
  writeFileSync(program, `#!/bin/sh\necho "$*" >> ${out}\n`, { mode: 0o755 });
  const agent = await startTestAgent(t, {
    config: document(service.url, program),
    flags: {
      "smtp-url": `smtp://127.0.0.1:${mail.port}`,
      "smtp-from": "monitor@example.org",
      "messenger-url": service.url,
      "pager-url": service.url,
      "incident-url": service.url,
    },
    env: { REALMWATCH_MESSENGER_TOKEN: "1:token-of-the-bot", REALMWATCH_INCIDENT_TOKEN: "token-of-the-desk" },
  });
  const { object } = hostTarget("db");
  const at = (path: RegExp): ReceivedRequest[] => service.received.filter((one) => path.test(one.path));
  const commandOutput = (): string[] => (existsSync(out) ? readFileSync(out, "utf8").trim().split("\n") : []);
  const counts = (): number[] => [
    mail.mails.length,
    commandOutput().length,
    ...[/^\/hook$/, /^\/bot/, /^\/v2\/enqueue$/, /^\/room$/, /^\/v2\/alert_events/].map((path) => at(path).length),
  ];
  const waitForMessages = (times: number) =>
    until(`${times} messages each: ${counts()}`, () => counts().every((count) => count === times));

  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_CRITICAL", output: "no answer" });
  await waitForMessages(1);
  await sendCommand(agent.base, "ProcessCheckResult", { object, status: "STATUS_OK", output: "back" });
  await waitForMessages(2);

  assert.match(mail.mails[0] ?? "", /^Subject: .*db/m);
  assert.match(mail.mails[0] ?? "", /no answer/);
  assert.deepEqual(commandOutput(), ["PROBLEM db DOWN", "RECOVERY db UP"]);
  const kinds = at(/^\/hook$/).map(({ body }) => body.notifications[0].kind);
  assert.deepEqual(kinds, ["PROBLEM", "RECOVERY"]);
  assert.deepEqual(
    at(/^\/v2\/enqueue$/).map(({ body }) => body.event_action),
    ["trigger", "resolve"],
  );
  const alerts = at(/^\/v2\/alert_events/).map(({ body }) => [body.status, body.deduplication_key]);
  assert.deepEqual(
    alerts.map(([status]) => status),
    ["firing", "resolved"],
  );
  assert.equal(alerts[0]?.[1], alerts[1]?.[1]);
  for (const { body } of [...at(/^\/bot/), ...at(/^\/room$/)]) assert.match(JSON.stringify(body), /db/);
  const secrets = ["token-of-the-bot", "token-of-the-desk", "0123456789abcdef0123456789abcdef"];
  const metrics = await (await fetch(`${agent.base}/metrics`)).text();
  for (const secret of secrets) assert.ok(!agent.output().includes(secret) && !metrics.includes(secret));
});
