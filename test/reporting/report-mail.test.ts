import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { mailHeader, openMailServer } from "@realmwatch/agent/contacts/mail/mail-server.fixture";
import { runRealmwatch } from "../run/cli.ts";
import { startTestAgent, tempFolder } from "../run/processes.ts";

const document = `
hosts: web1: {
	address: "127.0.0.1"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}
	labels: app: "Shop"
}
contacts: chief: {type: "email", address: "chief@example.org"}
ui: availability: range: "24h"
slos: "Web is up": {selector: "@kind=host", target: 99.9, down_statuses: ["CRITICAL"]}
`;

test("[RP10, RP11] the command of a timer mails the report of an agent, by the label of its objects", async (t) => {
  await using mails = await openMailServer({});
  const agent = await startTestAgent(t, { config: document });
  const file = join(tempFolder(t, "report"), "office.cue");
  writeFileSync(file, document);
  const send = (...flags: string[]) =>
    runRealmwatch(["report", "-schedule", "chief", "-month", "2026-01", "-zone", "Europe/Berlin", ...flags], {
      env: {
        ...{ REALMWATCH_SERVER: agent.base, REALMWATCH_CONFIG: file, REALMWATCH_SMTP_FROM: "rw@example.org" },
        REALMWATCH_SMTP_URL: `smtp://127.0.0.1:${mails.port}`,
      },
    });
  const sent = await send("-by", "label:app");
  assert.deepEqual(sent, { code: 0, stdout: 'the report was sent to contact "chief"\n', stderr: "" });
  const [mail] = mails.mails;
  assert.ok(mail);
  assert.deepEqual(mail.to, ["chief@example.org"]);
  assert.match(mailHeader(mail, "Subject"), /^Service levels 2026-01, Europe\/Berlin: 1 group: 1 without evidence\./);
  assert.match(mail.text, /\r\n2026-01-01 00:00 to 2026-02-01 00:00\r\n/);
  assert.match(mail.text, /\r\nShop\r\n {2}achieved no evidence, target 99\.9 %, evidence 0 % low\r\n/);
  const refused = await send("-smtp-url", "smtp://127.0.0.1:1");
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /^realmwatch-agent: the report was not sent to contact "chief": .*\(connect\)\n$/);
  assert.equal(mails.mails.length, 1);
});
