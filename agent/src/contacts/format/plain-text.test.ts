import assert from "node:assert/strict";
import { test } from "node:test";
import { notificationKinds } from "@realmwatch/shared/model/notification";
import { perfPoint } from "@realmwatch/shared/model/perfdata";
import fc from "fast-check";
import { notificationAtMs, problemNotification, recoveryNotification } from "../notification.fixture.ts";
import { formatMailHtml } from "./mail-html.ts";
import { describeNotification } from "./notification-text.ts";
import { describeMessage, formatPlainText, formatShortenedText } from "./plain-text.ts";
import { escapeHtml, sanitiseLine, sanitiseText } from "./sanitise-text.ts";

const origin = { realm: "fra", publicUrl: "https://mon.example.org" };
const text = (...given: ReturnType<typeof problemNotification>[]) =>
  formatPlainText(describeMessage({ id: "m", notifications: given }, origin));

test("a problem as plain text", () => {
  const given = problemNotification({
    longOutput: "upstream a: refused\nupstream b: refused",
    perfdata: [{ ...perfPoint("time", 2.1, "s"), warn: "1", crit: "2" }],
    labels: { team: "shop" },
    number: 2,
    level: 1,
    sinceMs: notificationAtMs - 5_400_000,
  });
  assert.equal(
    text(given),
    `Service http on web1 in realm fra is CRITICAL.

HTTP 503 after 2.1 s

upstream a: refused
upstream b: refused

Since:        2026-11-21T07:30:00Z, for 1h 30m
Before:       OK
Notification: number 2 about this problem, level 2
Perfdata:     time=2.1s;1;2
Labels:       team=shop
At:           2026-11-21T09:00:00Z

Acknowledge it on its page, so that others know and reminders stop.
https://mon.example.org/o/fra/web1/http
`,
  );
});

test("the subject of each kind names event, object and realm", () => {
  const subjects = notificationKinds.map((kind) => {
    const given = problemNotification({ kind, author: kind === "PROBLEM" ? "" : "bob", previousStatus: "warning" });
    return describeNotification(given, origin).subject;
  });
  assert.deepEqual(subjects, [
    "CRITICAL: http on web1 [fra]",
    "Recovered: http on web1 is CRITICAL [fra]",
    "CRITICAL (was WARNING): http on web1 [fra]",
    "Flapping: http on web1 is CRITICAL [fra]",
    "Flapping ended: http on web1 is CRITICAL [fra]",
    "Acknowledged by bob: http on web1 is CRITICAL [fra]",
    "Downtime began: http on web1 [fra]",
    "Downtime ended: http on web1 is CRITICAL [fra]",
    "Downtime cancelled: http on web1 is CRITICAL [fra]",
    "Custom notification by bob: http on web1 is CRITICAL [fra]",
  ]);
});

test("a digest as plain text", () => {
  const host = problemNotification({ key: { kind: "host", name: "db1" }, output: "no answer\nat all" });
  assert.equal(
    text(host, recoveryNotification()),
    `1 problem, 1 recovery [fra]

* CRITICAL: host db1 [fra]
  no answer at all
  https://mon.example.org/o/fra/db1

* Recovered: http on web1 is OK [fra]
  HTTP 200
  https://mon.example.org/o/fra/web1/http
`,
  );
});

test("without a dashboard the hint is a command, which contains no unusual name", () => {
  const own = { realm: "fra", publicUrl: undefined };
  const hint = (host: string) =>
    describeNotification(problemNotification({ key: { kind: "host", name: host } }), own).hint;
  assert.match(hint("web1"), /`realmwatch ack web1 --comment …`/);
  for (const odd of ["a; rm -rf /", "$(id)", "-rf", "a'b"]) assert.match(hint(odd), /`realmwatch ack --comment …`/);
});

test("the link to the page of an object contains its escaped name", () => {
  const url = (key: Parameters<typeof problemNotification>[0]) =>
    describeNotification(problemNotification(key), origin).url;
  assert.equal(
    url({ key: { kind: "service", host: "a/b", name: "c d?" } }),
    "https://mon.example.org/o/fra/a%2Fb/c%20d%3F",
  );
  assert.equal(url({ key: { kind: "process", name: "shop" } }), "https://mon.example.org/o/fra/process%3Ashop");
});

test("[DL11] control characters, terminal sequences and changes of direction are removed", () => {
  assert.equal(
    sanitiseText("a\u001b[31mred\u001b[0m\u0007 \u202etxt.exe\u2066\ud800\r\nb\u2028c\u0000", 100),
    "ared txt.exe\ufffd\nb\nc",
  );
  assert.equal(sanitiseText("\u001b]0;title\u0007x\u001b]8;;http://e\u001b\\y", 100), "xy");
  assert.equal(sanitiseLine(" a\n\tb  c ", 100), "a b c");
});

test("[DL11] any text is sanitised and truncated", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary", maxLength: 200 }), fc.integer({ min: 1, max: 80 }), (any, length) => {
      const clean = sanitiseText(any, length);
      assert.ok(clean.length <= length && clean.isWellFormed());
      assert.doesNotMatch(clean, /(?![\n\t])\p{Cc}|(?![\u200c\u200d])\p{Cf}/u);
    }),
  );
});

test("[DL12] no text becomes markup in a mail", () => {
  const hostile = `<script>alert(1)</script><img src=x onerror="a">'&amp;`;
  const key = { kind: "service", host: hostile, name: hostile } as const;
  const given = problemNotification({ key, output: hostile, longOutput: hostile, author: hostile, comment: hostile });
  for (const notifications of [[given], [given, given]]) {
    const html = formatMailHtml(describeMessage({ id: "m", notifications }, origin));
    assert.doesNotMatch(html, /<script|<img|onerror="/);
    assert.match(html, /&#60;script&#62;/);
  }
  assert.equal(escapeHtml(`<a b="c" d='e'>&`), "&#60;a b=&#34;c&#34; d=&#39;e&#39;&#62;&#38;");
});

test("a shortened text fits and ends with the number of omitted notifications", () => {
  const many = Array.from({ length: 100 }, (_, at) => problemNotification({ id: `n${at}`, output: "x".repeat(500) }));
  for (const maxLength of [500, 4_096]) {
    const short = formatShortenedText(describeMessage({ id: "m", notifications: many }, origin), maxLength);
    assert.ok(short.length <= maxLength);
    assert.match(short, /and \d+ more$/);
  }
});
