import assert from "node:assert/strict";
import { test } from "node:test";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import { canarySecret, contactContract, openHttpContact } from "../contact.contract.ts";
import { commonContactFields, openTestContactDependencies } from "../contact-dependencies.fixture.ts";
import { openHttpReceiver } from "../http/http-receiver.fixture.ts";
import { problemNotification, recoveryNotification } from "../notification.fixture.ts";

const contact = (url: string) => ({ ...commonContactFields, type: "webhook", url, groupWaitMs: 0 }) as const;

contactContract("webhook", (behaviour) =>
  openHttpContact(behaviour, ({ url }) => ({
    plan: { ...commonContactFields, type: "webhook", url: `${url}/${canarySecret}`, groupWaitMs: 0 },
  })),
);

test("a webhook receives the notification as this JSON", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const sent = problemNotification({
    perfdata: [perfPoint("time", 2.1, "s")],
    labels: { team: "shop" },
    longOutput: "a\nb",
  });
  assert.deepEqual(await open.send(contact(`${receiver.url}/hook?x=1`), [sent]), { kind: "delivered" });
  const [got] = receiver.received;
  assert.equal(got?.method, "POST");
  assert.equal(got?.path, "/hook?x=1");
  assert.equal(got?.headers["content-type"], "application/json; charset=utf-8");
  assert.equal(got?.headers["idempotency-key"], "n1");
  assert.match(got?.headers["user-agent"] ?? "", /^Realmwatch\//);
  assert.deepEqual(got?.body, {
    version: 1,
    id: "n1",
    contact: "ann",
    realm: "fra",
    notifications: [
      {
        id: "n1",
        kind: "PROBLEM",
        object: { kind: "service", host: "web1", name: "http" },
        status: "CRITICAL",
        previousStatus: "OK",
        stateType: "HARD",
        attempt: 3,
        maxAttempts: 3,
        output: "HTTP 503 after 2.1 s",
        longOutput: "a\nb",
        perfdata: [{ label: "time", value: 2.1, uom: "s", warn: "", crit: "", min: null, max: null }],
        problemId: "p1",
        level: 0,
        number: 1,
        author: "",
        comment: "",
        labels: { team: "shop" },
        since: "2026-11-21T08:55:00Z",
        at: "2026-11-21T09:00:00Z",
        url: "https://mon.example.org/o/fra/web1/http",
      },
    ],
  });
});

test("hosts and processes have a kind and a name, and an object that was never checked no status since 1970", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openTestContactDependencies({ publicUrl: undefined });
  const host = problemNotification({ key: { kind: "host", name: "web1" } });
  const shop = problemNotification({ id: "n3", key: { kind: "process", name: "shop" }, status: "pending", sinceMs: 0 });
  await open.send(contact(receiver.url), [host, shop]);
  const sent = receiver.received[0]?.body.notifications;
  assert.deepEqual(sent[0].object, { kind: "host", name: "web1" });
  assert.deepEqual(sent[1].object, { kind: "process", name: "shop" });
  assert.deepEqual([sent[0].since, sent[1].since], ["2026-11-21T08:55:00Z", sent[1].at], "never checked");
  assert.equal(sent[0].url, "");
});

test("[DL2] a digest is one request whose id follows from its notifications", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openTestContactDependencies();
  const sent = [problemNotification(), recoveryNotification({ key: { kind: "host", name: "db1" } })];
  await open.send(contact(receiver.url), sent);
  await open.send(contact(receiver.url), sent);
  const [first, second] = receiver.received;
  assert.equal(first?.body.notifications.length, 2);
  assert.equal(first?.body.id, second?.body.id);
  assert.equal(first?.headers["idempotency-key"], first?.body.id);
});

test("user and password of a URL are sent as a header", async () => {
  await using receiver = await openHttpReceiver();
  await using open = openTestContactDependencies();
  await open.send(contact(receiver.url.replace("//", "//ann:p%40ss@")), [problemNotification()]);
  const pair = Buffer.from("ann:p@ss").toString("base64");
  assert.equal(receiver.received[0]?.headers.authorization, `Basic ${pair}`);
});

for (const url of ["file:///etc/passwd", "gopher://127.0.0.1/", "ftp://h/", "nonsense", "unix:/run/docker.sock"])
  test(`[DL20] ${url} is rejected as the URL of a webhook`, async () => {
    await using open = openTestContactDependencies();
    const attempt = await open.send(contact(url), [problemNotification()]);
    assert.deepEqual(attempt, {
      kind: "rejected",
      reason: "setup",
      detail: "its address is not an http or https URL",
    });
  });
