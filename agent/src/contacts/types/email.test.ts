import assert from "node:assert/strict";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import { hideSecret } from "@realmwatch/shared/platform/flags/secret";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { AttemptResult } from "../../platform/outbound/delivery-result.ts";
import { makeSelfSignedCertificate } from "../connect/certificate.fixture.ts";
import { canarySecret, contactContract } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { mailHeader as header, openMailServer } from "../mail/mail-server.fixture.ts";
import { parseSmtpUrl } from "../mail/smtp-url.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";

const contact = (address = "ann@example.org"): ContactPlan => ({
  ...commonContactFields,
  type: "email",
  address,
  groupWaitMs: 0,
});

function toolsAt(smtpUrl: string, extraAuthorities?: string) {
  const settings = { smtpUrl, smtpFrom: "Watch <noc@example.org>", smtpPassword: hideSecret("c4nary!pw") };
  return openTestContactDependencies({ settings, ...(extraAuthorities === undefined ? {} : { extraAuthorities }) });
}

/** Sends one mail; the detail of a failure must not contain the password. */
async function sendOnce(smtpUrl: string, to?: string, extraAuthorities?: string): Promise<AttemptResult> {
  await using open = toolsAt(smtpUrl, extraAuthorities);
  const attempt = await open.send(contact(to), [problemNotification()], 3_000);
  assert.doesNotMatch(JSON.stringify(attempt), /c4nary|YzRuYXJ5/, "[DL15]");
  return attempt;
}

contactContract("email", async (behaviour) => {
  const server = await openMailServer({
    onAuth({ username, password }, _, done) {
      if (behaviour === "accepts") done(null, { user: username ?? "" });
      // Echoes the password, so that it would appear in the detail of the failure.
      if (behaviour === "fails") done(new Error(`no such password: ${password}`));
    },
  });
  return {
    plan: { ...commonContactFields, type: "email", address: "ann@example.org", groupWaitMs: 0 },
    settings: {
      smtpUrl: `smtp://alice@127.0.0.1:${server.port}`,
      smtpFrom: "noc@example.org",
      smtpPassword: hideSecret(canarySecret),
    },
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  };
});

test("a mail has a plain text, an HTML page and headers that prevent automatic replies", async () => {
  await using server = await openMailServer();
  await using open = toolsAt(`smtp://127.0.0.1:${server.port}`);
  assert.deepEqual(await open.send(contact(), [problemNotification()]), { kind: "delivered" });
  const [mail] = server.mails;
  assert.ok(mail);
  assert.deepEqual([mail.from, mail.to], ["noc@example.org", ["ann@example.org"]]);
  assert.equal(header(mail, "Subject"), "CRITICAL: http on web1 [fra]");
  assert.equal(header(mail, "From"), "Watch <noc@example.org>");
  assert.equal(header(mail, "Auto-Submitted"), "auto-generated");
  assert.equal(header(mail, "X-Realmwatch-Kind"), "PROBLEM");
  assert.equal(header(mail, "X-Realmwatch-Object"), "web1!http");
  assert.match(header(mail, "Content-Type"), /^multipart\/alternative/);
  assert.ok(mail.text.indexOf("text/plain") < mail.text.indexOf("text/html"));
  assert.match(mail.text, /Service http on web1 in realm fra is CRITICAL\./);
});

test("[DL9] mails about one problem are one thread, and repetitions have the same Message-ID", async () => {
  await using server = await openMailServer();
  await using open = toolsAt(`smtp://127.0.0.1:${server.port}`);
  await open.send(contact(), [problemNotification()]);
  await open.send(contact(), [problemNotification()]);
  await open.send(contact(), [recoveryNotification()]);
  await open.send(contact(), [problemNotification({ id: "x y<z>", problemId: "other one" })]);
  await open.send(contact(), [problemNotification(), problemNotification({ problemId: "p7" })]);
  const [first, again, over, other, digest] = server.mails;
  assert.ok(first && again && over && other && digest);
  assert.equal(header(first, "Message-ID"), "<n1@example.org>");
  assert.equal(header(again, "Message-ID"), "<n1@example.org>");
  assert.equal(header(over, "Message-ID"), "<n2@example.org>");
  assert.equal(header(over, "References"), "<problem.p1@example.org>");
  assert.equal(header(first, "References"), header(over, "In-Reply-To"));
  assert.match(header(other, "Message-ID"), /^<[0-9a-f]{40}@example\.org>$/);
  assert.match(header(other, "References"), /^<problem\.[0-9a-f]{40}@example\.org>$/);
  assert.equal(header(digest, "References"), "");
  assert.equal(header(digest, "Subject"), "2 problems [fra]");
});

test("[DL12] no text becomes a header, a recipient or an SMTP command", async () => {
  await using server = await openMailServer();
  await using open = toolsAt(`smtp://127.0.0.1:${server.port}`);
  const hostile = "x\r\nBcc: evil@example.org\r\n\r\n.\r\nRCPT TO:<evil@example.org>\r\n<script>";
  const key = { kind: "service", host: hostile, name: hostile } as const;
  const sent = problemNotification({
    id: hostile,
    problemId: hostile,
    key,
    output: hostile,
    author: hostile,
    kind: "CUSTOM",
  });
  assert.deepEqual(await open.send(contact(), [sent]), { kind: "delivered" });
  const [mail] = server.mails;
  assert.ok(mail);
  assert.deepEqual(mail.to, ["ann@example.org"]);
  const headers = mail.text.slice(0, mail.text.indexOf("\r\n\r\n"));
  assert.doesNotMatch(headers, /^(Bcc|RCPT|<script)/im);
  for (const to of ["a@b.c\r\nRCPT TO:<e@e.e>", "a@b.c>", "Ann <a@b.c>", "group: a@b.c;", ""])
    assert.equal((await open.send(contact(to), [problemNotification()])).kind, "rejected", to);
});

test("several addresses receive one mail, and a rejected address is reported", async () => {
  await using server = await openMailServer();
  const url = `smtp://127.0.0.1:${server.port}`;
  assert.deepEqual(await sendOnce(url, "ann@example.org, bob@example.org"), { kind: "delivered" });
  assert.deepEqual(server.mails[0]?.to, ["ann@example.org", "bob@example.org"]);
  const detail = "the mail server refused 1 of 2 addresses; the others have it";
  assert.deepEqual(await sendOnce(url, "ann@example.org,550@x.org"), { kind: "rejected", reason: "refused", detail });
});

test("[DL7] a 5xx reply of a mail server is final, a 4xx reply is retried", async () => {
  await using server = await openMailServer();
  const url = `smtp://127.0.0.1:${server.port}`;
  const detail = 'the mail server answered 550: "user unknown"';
  assert.deepEqual(await sendOnce(url, "550@example.org"), { kind: "rejected", reason: "refused", detail });
  const busy = await sendOnce(url, "451@example.org");
  assert.ok(busy.kind === "retry" && busy.reason === "server", JSON.stringify(busy));
  assert.match(busy.detail, /answered 451/);
});

test("mails that are sent together share a connection", async () => {
  await using server = await openMailServer();
  await using open = toolsAt(`smtp://127.0.0.1:${server.port}`);
  for (let at = 0; at < 20; at += 1) await open.send(contact(), [problemNotification({ id: `n${at}` })]);
  assert.equal(server.mails.length, 20);
  assert.equal(server.connections(), 1);
});

test("a mail whose idle connection was closed is sent over a new one", async () => {
  let wasClosed = false;
  const onClose = (): void => {
    wasClosed = true;
  };
  await using first = await openMailServer({ socketTimeout: 400, onClose });
  await using open = toolsAt(`smtp://127.0.0.1:${first.port}`);
  await open.send(contact(), [problemNotification()]);
  await until("the idle connection is closed", () => wasClosed);
  assert.deepEqual(await open.send(contact(), [recoveryNotification()]), { kind: "delivered" });
  assert.equal(first.connections(), 2);
});

test("STARTTLS is used when it is offered, before authentication", async () => {
  const tls = makeSelfSignedCertificate();
  await using server = await openMailServer({ tls, authOptional: false });
  assert.deepEqual(await sendOnce(`smtp://alice@localhost:${server.port}`, undefined, tls.cert), { kind: "delivered" });
  assert.equal(server.mails[0]?.secure, true);
});

test("smtps uses TLS from the first byte", async () => {
  const tls = makeSelfSignedCertificate();
  await using server = await openMailServer({ tls, secure: true });
  assert.deepEqual(await sendOnce(`smtps://alice@localhost:${server.port}`, undefined, tls.cert), {
    kind: "delivered",
  });
});

test("[DL16] a mail server with an invalid certificate receives no mail and no password", async () => {
  const cases: [Parameters<typeof makeSelfSignedCertificate>[0], boolean, RegExp][] = [
    [{}, false, /self-signed certificate/],
    [{ names: "DNS:other.example" }, true, /does not match certificate|another name/],
    [{ until: "20200201000000Z" }, true, /certificate has expired/],
  ];
  for (const [given, trusted, detail] of cases) {
    const tls = makeSelfSignedCertificate(given);
    for (const scheme of ["smtp", "smtps"]) {
      await using server = await openMailServer({ tls, secure: scheme === "smtps" });
      const url = `${scheme}://alice@localhost:${server.port}`;
      const attempt = await sendOnce(url, undefined, trusted ? tls.cert : undefined);
      assert.ok(attempt.kind === "retry" && attempt.reason === "tls", `${scheme} ${JSON.stringify(attempt)}`);
      assert.match(attempt.detail, detail);
      assert.deepEqual(server.mails, []);
    }
  }
});

test("[DL16] no mail is sent when required TLS is not offered", async () => {
  await using server = await openMailServer();
  const attempt = await sendOnce(`smtp://127.0.0.1:${server.port}?tls=required`);
  assert.ok(attempt.kind === "retry" && attempt.reason === "tls", JSON.stringify(attempt));
  assert.deepEqual(server.mails, []);
});

test("[DL15] a rejected password is not retried and not quoted", async () => {
  await using server = await openMailServer({ onAuth: (_, __, done) => done(new Error("bad login")) });
  const attempt = await sendOnce(`smtp://alice@127.0.0.1:${server.port}`);
  const detail = "the mail server refused the user of -smtp-url or -smtp-password (535)";
  assert.deepEqual(attempt, { kind: "rejected", reason: "setup", detail });
});

test("[DL7] a server that hangs or does not speak SMTP is retried", async () => {
  const { createServer } = await import("node:net");
  for (const [greeting, reason] of [
    ["", "timeout"],
    ["220 hello\r\n", "timeout"],
    ["HTTP/1.1 400 Bad Request\r\n\r\n", "connect"],
  ] as const) {
    const server = createServer(
      (socket) =>
        void socket
          .on("error", () => {})
          .resume()
          .write(greeting || " "),
    );
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as AddressInfo;
    await using open = toolsAt(`smtp://127.0.0.1:${port}`);
    const attempt = await open.send(contact(), [problemNotification()], 300);
    assert.ok(attempt.kind === "retry" && attempt.reason === reason, `${greeting}: ${JSON.stringify(attempt)}`);
    await new Promise((resolve) => server.close(resolve));
    assert.match(JSON.stringify(await open.send(contact(), [problemNotification()], 300)), /connection refused/);
  }
});

test("-smtp-url is parsed into host, port, TLS mode and user", () => {
  const read = (text: string) => parseSmtpUrl(text);
  assert.deepEqual(read("smtp://ann%40x@mail:25"), {
    ok: true,
    value: { host: "mail", port: 25, tls: "offered", user: "ann@x" },
  });
  assert.deepEqual(read("smtps://[::1]"), { ok: true, value: { host: "::1", port: 465, tls: "implicit", user: "" } });
  assert.deepEqual(read("smtp://mail/?tls=off"), {
    ok: true,
    value: { host: "mail", port: 587, tls: "off", user: "" },
  });
  for (const bad of [
    "mail:25",
    "http://mail",
    "smtp://",
    "smtp://u:pw@mail",
    "smtp://%zz@mail",
    "smtp://mail?tls=maybe",
    "smtps://mail?tls=off",
  ])
    assert.equal(read(bad).ok, false, bad);
});
