import assert from "node:assert/strict";
import { test } from "node:test";
import { mailHeader, openMailServer } from "@realmwatch/agent/contacts/mail/mail-server.fixture";
import { seededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import type { DeliveredMessage, NotificationJson } from "../../acceptance/webhook-receiver.ts";
import { healthy, hostsWithContacts, startPair } from "./pair-environment.ts";
import { startPairLoad } from "./pair-load.ts";
import { isActive, patienceMs, untilPair } from "./pair-member.ts";
import { judgePair } from "./pair-oracle.ts";
import { watchPair } from "./pair-watch.ts";

const withinPatience = { withinMs: patienceMs };
const words = /possible duplicate: an earlier attempt may have arrived/i;

/** Mail of one notification, as the oracle compares messages. */
function deliveredMail(to: string, text: string): DeliveredMessage {
  const mail = { to: [to], from: "", secure: false, text: text.replaceAll("=\r\n", "") };
  const isMarked = mailHeader(mail, "X-Realmwatch-Possible-Duplicate") === "1";
  const id = mailHeader(mail, "Message-ID");
  const name = mailHeader(mail, "X-Realmwatch-Object");
  const notification = {
    ...{ id, kind: mailHeader(mail, "X-Realmwatch-Kind"), object: { kind: "host", name } },
    output: /result \d+/.exec(mail.text)?.[0] ?? "",
    url: /http:\/\/fra-[ab]\.test\//.exec(mail.text)?.[0] ?? "",
    possibleDuplicate: words.test(mail.text),
  };
  const [contact = ""] = to.split("@");
  const notifications = [notification as NotificationJson];
  return { atMs: performance.now(), contact, key: id, id, isMarked, notifications };
}

test("[PA43] of mails that were under way at a kill none is lost, and one that may be repeated says so", {
  timeout: 400_000,
}, async (t) => {
  const delivered: DeliveredMessage[] = [];
  let holds: "recipient" | "answer" | undefined;
  let held = 0;
  const server = await openMailServer({
    onRcptTo(_, _session, done) {
      if (holds === "recipient") held++;
      else done();
    },
    onData(stream, { envelope: { rcptTo } }, done) {
      const chunks: Buffer[] = [];
      stream.on("data", (chunk: Buffer) => chunks.push(chunk));
      stream.on("end", () => {
        delivered.push(deliveredMail(rcptTo[0]?.address ?? "", Buffer.concat(chunks).toString("utf8")));
        if (holds === "answer") held++;
        else done();
      });
    },
  });
  atEnd(t, () => server[Symbol.asyncDispose]());
  const flags = { "smtp-url": `smtp://127.0.0.1:${server.port}?tls=off`, "smtp-from": "noc@example.org" };
  const pair = await startPair(t, {
    flags: [flags, flags],
    documentOf: () => hostsWithContacts((name) => `{type: "email", address: "${name}@example.org", group_wait: "0s"}`),
  });
  const watch = await watchPair(t, pair);
  const load = startPairLoad(t, pair, seededRandom(9), 150);
  for (const what of ["answer", "recipient", "answer"] as const)
    await t.test(`the active member is killed while it waits for the ${what} of the server`, async () => {
      const { active, standby } = await healthy(pair);
      const before = delivered.length;
      await until("mails arrive", () => delivered.length > before + 2, withinPatience);
      [held, holds] = [0, what];
      const sent = delivered.length;
      await until("a delivery is under way", () => held > 0, withinPatience);
      await active.program.stop("SIGKILL");
      holds = undefined;
      const unanswered = what === "answer" ? delivered.slice(sent) : [];
      await untilPair("is active", standby, isActive);
      await until(
        "what was under way is sent again, marked",
        () => {
          const later = delivered.slice(sent + unanswered.length).filter(({ isMarked }) => isMarked);
          return later.length > 0 && unanswered.every(({ id }) => later.some((repeated) => repeated.id === id));
        },
        withinPatience,
      );
      await active.program.restart();
    });
  await load.stop();
  t.diagnostic(await judgePair({ ...pair, receiver: { ...pair.receiver, delivered } }, load.record, watch));
  assert.ok(delivered.some(({ isMarked }) => !isMarked));
});
