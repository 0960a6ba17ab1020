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

test("[NO26] a problem as plain text, with its escalation level as everywhere else", () => {
  const given = problemNotification({
    longOutput: "upstream a: refused\nupstream b: refused",
    perfdata: [{ ...perfPoint("time", 2.1, "s"), warn: "1", crit: "2" }],
    labels: { team: "shop" },
    number: 2,
    level: 1,
    sinceMs: notificationAtMs - 5_400_000,
    problemSinceMs: notificationAtMs - 5_401_000,
    lastOkAtMs: notificationAtMs - 5_430_000,
    address: "192.0.2.10",
  });
  assert.equal(
    text(given),
    `Service http on web1 in realm fra is CRITICAL.

HTTP 503 after 2.1 s

Realm:           fra
Host:            web1 (192.0.2.10)
Since:           2026-11-21 07:30:00 UTC, for 1h 30m
Last OK:         2026-11-21 07:29:30 UTC, 1h 30m ago
Previous status: OK
Notification:    number 2 about this problem, escalation level 1
Perfdata:        time=2.1s;1;2
Labels:          team=shop
Decided at:      2026-11-21 09:00:00 UTC

Acknowledge it, so that others know and reminders stop:
https://mon.example.org/o/fra/web1/http?ack=1795251600

State and history:
https://mon.example.org/o/fra/web1/http

upstream a: refused
upstream b: refused
`,
  );
});

const minute = 60_000;
const before = (minutes: number): number => notificationAtMs - minutes * minute;
/** Facts of a message by label; undefined for those that it does not show. */
const factRows: readonly (readonly [
  rule: string,
  given: Parameters<typeof problemNotification>[0],
  facts: Readonly<Record<string, string | undefined>>,
])[] = [
  [
    "a problem that got worse names its beginning and the last good state",
    {
      kind: "STATUS_CHANGE",
      previousStatus: "warning",
      sinceMs: before(2),
      problemSinceMs: before(40),
      lastOkAtMs: before(41),
    },
    {
      Since: "2026-11-21 08:58:00 UTC, for 2m",
      "Problem since": "2026-11-21 08:20:00 UTC, 40m ago",
      "Last OK": "2026-11-21 08:19:00 UTC, 41m ago",
      "Previous status": "WARNING",
    },
  ],
  [
    "a problem that was never ok says so",
    { sinceMs: before(3), problemSinceMs: before(3) },
    { "Last OK": "never", "Problem since": undefined },
  ],
  [
    "a notification without the start of its problem claims nothing of the last good state",
    {},
    { "Last OK": undefined },
  ],
  [
    "a recovery names the last good state before the problem",
    { kind: "RECOVERY", status: "ok", previousStatus: "critical", sinceMs: before(0), lastOkAtMs: before(95) },
    { "OK before": "2026-11-21 07:25:00 UTC, 1h 35m ago", "Last OK": undefined, Notification: undefined },
  ],
  [
    "an acknowledgement names its author and comment",
    { kind: "ACKNOWLEDGEMENT", author: "bob", comment: "on it" },
    { By: "bob", Comment: "on it", Realm: "fra" },
  ],
  ["an address equal to the host's name is not repeated", { address: "web1" }, { Host: undefined }],
  [
    "a process has no host",
    { key: { kind: "process", name: "shop" }, address: "192.0.2.1" },
    { Host: undefined, Realm: "fra" },
  ],
];
for (const [rule, given, expected] of factRows)
  test(`[DL30] ${rule}`, () => {
    const facts = Object.fromEntries(describeNotification(problemNotification(given), origin).facts);
    for (const [label, value] of Object.entries(expected)) assert.equal(facts[label], value, label);
  });

test("[DL31] a problem's message links to the acknowledge dialog, signed where links are signed", () => {
  const linkOf = (given: Parameters<typeof problemNotification>[0], problemLinks?: ReadonlyMap<string, string>) =>
    describeNotification(problemNotification(given), { ...origin, ...(problemLinks && { problemLinks }) })
      .acknowledgeUrl;
  const page = "https://mon.example.org/o/fra/web1/http";
  assert.equal(linkOf({}), `${page}?ack=1795251600`);
  assert.equal(linkOf({}, new Map([["n1", "aa.bb.cc"]])), `${page}?ack=aa.bb.cc`);
  assert.equal(linkOf({ kind: "RECOVERY", status: "ok" }), "");
  assert.equal(linkOf({ kind: "ACKNOWLEDGEMENT" }), "");
  assert.equal(describeNotification(problemNotification(), { realm: "fra", publicUrl: undefined }).acknowledgeUrl, "");
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

test("[DL30] the headline of each kind names the event and the state", () => {
  const headlines = notificationKinds.map((kind) => {
    const given = problemNotification({ kind, author: kind === "PROBLEM" ? "" : "bob", previousStatus: "warning" });
    return describeNotification(given, origin).headline;
  });
  const state = "Service http on web1 in realm fra is CRITICAL.";
  assert.deepEqual(headlines, [
    state,
    `Recovered. ${state}`,
    `Changed from WARNING. ${state}`,
    `Flapping: changes of status are not notified until it ends. ${state}`,
    `Flapping ended. ${state}`,
    `Acknowledged by bob. ${state}`,
    `Downtime began, scheduled by bob. ${state}`,
    `Downtime ended. ${state}`,
    `Downtime cancelled by bob. ${state}`,
    `Custom notification by bob. ${state}`,
  ]);
});

test("[DL30, DL31] a digest as plain text says when each object was last ok and links to its acknowledgement", () => {
  const key = { kind: "host", name: "db1" } as const;
  const host = problemNotification({ key, output: "no answer\nat all", lastOkAtMs: before(6) });
  assert.equal(
    text(host, recoveryNotification()),
    `1 problem, 1 recovery [fra]

* CRITICAL: host db1 [fra]
  no answer at all
  Since: 2026-11-21 08:55:00 UTC, for 5m
  Last OK: 2026-11-21 08:54:00 UTC, 6m ago
  https://mon.example.org/o/fra/db1
  Acknowledge: https://mon.example.org/o/fra/db1?ack=1795251600

* Recovered: http on web1 is OK [fra]
  HTTP 200
  Since: 2026-11-21 08:55:00 UTC, for 5m
  https://mon.example.org/o/fra/web1/http
`,
  );
});

test("[DL22, DL30] an entry of a digest says since when and has the comment: without it a fallback would not know why", () => {
  const comment = 'Contact "dead" has not received this\nnotification for 5m; "ann" is its fallback.';
  const message = describeMessage(
    { id: "m", notifications: [problemNotification({ comment }), recoveryNotification()] },
    origin,
  );
  const sentence = 'Contact "dead" has not received this notification for 5m; "ann" is its fallback.';
  assert.ok(formatPlainText(message).includes(`\n  Comment: ${sentence}\n  Since: 2026-11-21 08:55:00 UTC, for 5m\n`));
  const html = formatMailHtml(message);
  assert.ok(html.includes(escapeHtml(comment)) && html.includes("2026-11-21 08:55:00 UTC, for 5m"));
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
    assert.doesNotMatch(short, /Acknowledge/);
  }
});
