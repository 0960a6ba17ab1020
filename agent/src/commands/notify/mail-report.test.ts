import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { mailHeader, openMailServer } from "../../contacts/mail/mail-server.fixture.ts";
import { runSubCommand } from "../run-sub-command.fixture.ts";
import { mailReportSubCommand } from "./mail-report.ts";

const folder = mkdtempSync(join(tmpdir(), "mail-report-"));
after(() => rmSync(folder, { recursive: true }));
const file = join(folder, "office.cue");
writeFileSync(
  file,
  `contacts: {
	chief: {type: "email", address: "chief@example.org, cio@example.org"}
	gone: {type: "email", address: "550@example.org"}
	duty: {type: "pager", routing_key: "hidden-key"}
}
hosts: {}
`,
);

const report = {
  subject: "Service levels 2026-10: 1 objective: 1 met it.",
  text: "Service levels 2026-10\nshop ≥ 99 %\n",
  attachment: { name: "report-2026-10.csv", csv: "name,achieved\r\nshop,99.9\r\n" },
};

const run = (args: readonly string[], port: number) =>
  runSubCommand(
    mailReportSubCommand,
    [...args, `-smtp-url=smtp://alice@127.0.0.1:${port}`, "-smtp-from=rw@example.org"],
    {
      stdin: JSON.stringify(report),
      env: { REALMWATCH_CONFIG: file, REALMWATCH_SMTP_PASSWORD: "c4nary!pw" },
    },
  );

test("[RP11] a report is one mail to all addresses of a contact: text and CSV, once more under the same id", async () => {
  await using server = await openMailServer({});
  for (const _ of [1, 2])
    assert.deepEqual(await run(["chief"], server.port), {
      code: 0,
      stdout: 'the report was sent to contact "chief"',
      stderr: "",
    });
  const [mail, again] = server.mails;
  assert.ok(mail && again);
  assert.deepEqual([mail.from, mail.to], ["rw@example.org", ["chief@example.org", "cio@example.org"]]);
  assert.equal(mailHeader(mail, "Subject"), report.subject);
  assert.deepEqual(
    ["Auto-Submitted", "X-Realmwatch-Kind"].map((name) => mailHeader(mail, name)),
    ["auto-generated", "REPORT"],
  );
  assert.equal(mailHeader(mail, "Message-ID"), mailHeader(again, "Message-ID"));
  assert.match(mail.text, /Content-Type: text\/plain; charset=utf-8[\s\S]*Service levels 2026-10/);
  assert.match(mail.text, /Content-Type: text\/csv; charset=utf-8; name=report-2026-10\.csv/);
  const encoded =
    /Content-Disposition: attachment; filename=report-2026-10\.csv\r\n\r\n([\s\S]*?)\r\n--/.exec(mail.text)?.[1] ?? "";
  assert.match(mail.text, /Content-Transfer-Encoding: base64/);
  assert.equal(Buffer.from(encoded, "base64").toString("utf8"), report.attachment.csv);
});

test("[RP11] a report that was not sent says why, and fails", async () => {
  await using server = await openMailServer({});
  const refused = await run(["gone"], server.port);
  assert.deepEqual([refused.code, refused.stdout], [1, ""]);
  assert.match(
    refused.stderr,
    /^the report was not sent to contact "gone": the mail server answered 550.*\(refused\)$/,
  );
  const away = await run(["chief"], await freePort());
  assert.deepEqual([away.code, /connection refused \(connect\)$/.test(away.stderr)], [1, true], away.stderr);
  assert.equal(
    (await run(["duty"], 1)).stderr,
    'contact "duty" is of type pager: a report goes to a contact of type email',
  );
  assert.equal((await run(["chef"], 1)).stderr, 'contact "chef" is not declared: did you mean "chief"?');
  assert.equal(server.mails.length, 0);
});
