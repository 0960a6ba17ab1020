import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { openHttpReceiver } from "../../contacts/http/http-receiver.fixture.ts";
import { runSubCommand, type SubCommandOutput } from "../run-sub-command.fixture.ts";
import { notifyTestSubCommand } from "./notify-test.ts";

const folder = mkdtempSync(join(tmpdir(), "notify-test-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "office.cue");

const document = (url: string): string => `
timeperiods: never: ranges: {}
contacts: {
	hook: {type: "webhook", url: "${url}/hidden-path", notification_period: "never", group_wait: "5m"}
	duty: {type: "pager", routing_key: "hidden-key"}
	ann: {type: "email", address: "ann@example.org"}
	file: {type: "command", command: "write"}
	broken: {type: "command", command: "missing"}
}
commands: {
	write: {line: "/bin/sh -c 'printf %s \\"$1-$NAGIOS_NOTIFICATIONCOMMENT\\" >${folder}/said' say $NOTIFICATIONTYPE$-$HOSTNAME$"}
	missing: {line: "/nonexistent/program"}
}
hosts: {}
`;

function run(
  url: string,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<SubCommandOutput> {
  writeFileSync(file, document(url));
  return runSubCommand(notifyTestSubCommand, [...args], { env: { REALMWATCH_CONFIG: file, ...env } });
}

test("[RO3] one marked message goes at once, whatever the contact's period and digest", async () => {
  await using receiver = await openHttpReceiver();
  const { code, stdout, stderr } = await run(receiver.url, ["hook", "-realm=fra", "-author=ann"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.match(stdout, /^contact "hook" \(webhook\) was notified in \d+ ms; the notification is test-[0-9a-z]{17}$/);
  assert.equal(receiver.received.length, 1);
  const [notification] = receiver.received[0]?.body.notifications ?? [];
  const { kind, object, comment, author, status } = notification;
  assert.deepEqual([kind, object.name, author, status], ["CUSTOM", "realmwatch-test", "ann", "OK"]);
  assert.match(comment, /^TEST: /);
});

test("[RO3] a failed attempt is reported with its reason and without secrets", async () => {
  await using receiver = await openHttpReceiver((response) =>
    response.writeHead(503, { "retry-after": "90" }).end("no"),
  );
  const refused = await run(receiver.url, ["hook"]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /was not notified: .*503.*\(server|rate_limited/);
  assert.match(refused.stderr, /an agent would try again/);
  assert.equal(receiver.received.length, 1, "one attempt");
  const json = await run(receiver.url, ["duty", "-output=json", `-pager-url=${receiver.url}`]);
  const { contact, type, outcome, reason } = JSON.parse(json.stdout);
  assert.deepEqual([json.code, contact, type, outcome, reason], [1, "duty", "pager", "retry", "server"]);
  assert.doesNotMatch(refused.stderr + json.stdout + json.stderr, /hidden/);
});

test("a program receives the macros of the test notification", async () => {
  const { code, stderr } = await run("http://127.0.0.1:9", ["file", "-comment=hello"]);
  assert.deepEqual([code, stderr], [0, ""]);
  assert.equal(readFileSync(join(folder, "said"), "utf8"), "CUSTOM-realmwatch-test-hello");
});

test("a missing program, a mail without a server and an unreachable mail server are reported", async () => {
  const missing = await run("http://127.0.0.1:9", ["broken"]);
  assert.match(missing.stderr, /contact "broken" \(command\) was not notified: .*an agent would not try again\)$/);
  const mail = await run("http://127.0.0.1:9", ["ann"]);
  assert.match(mail.stderr, /-smtp-url is not set \(setup, after \d+ ms; an agent would not try again\)/);
  const flags = [`-smtp-url=smtp://ann@127.0.0.1:${await freePort()}`, "-smtp-from=rw@example.org"];
  const away = await run("http://127.0.0.1:9", ["ann", ...flags], { REALMWATCH_SMTP_PASSWORD: "hidden-password" });
  assert.match(away.stderr, /connection refused \(connect, after \d+ ms; an agent would try again\)/);
  assert.doesNotMatch(away.stderr, /hidden/);
});

test("an undeclared contact, a document with errors and a missing document are reported", async () => {
  const unknown = await run("http://127.0.0.1:9", ["hok"]);
  assert.deepEqual([unknown.code, unknown.stderr], [1, 'contact "hok" is not declared: did you mean "hook"?']);
  const none = await run("http://127.0.0.1:9", ["ann"], { REALMWATCH_CONFIG: "" });
  assert.deepEqual([none.code, none.stderr.includes("-config is needed")], [2, true]);
  const broken = await run('", unknown: "', ["hook"]);
  assert.equal(broken.code, 1);
  assert.match(broken.stderr, /office\.cue:\d+:\d+: /);
});
