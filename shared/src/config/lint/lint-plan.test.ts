import assert from "node:assert/strict";
import { test } from "node:test";
import { compilePlan } from "../compile/compile-plan.ts";
import { lintPlan } from "./lint-plan.ts";

const nowMs = Date.UTC(2026, 10, 18, 12);
const check = { type: "icmp", host: "h", flap: {} };
const weekdays = ["monday", "tuesday", "wednesday", "thursday", "friday"];
const on = (days: readonly string[], times: string): object => Object.fromEntries(days.map((day) => [day, times]));
const office = { ranges: on(weekdays, "09:00-17:00") };
const ann = { type: "email", address: "ann" };
const hostWithPolicy = { address: "x", check, notification: "n" };

function warnings(document: object): readonly string[] {
  const compiled = compilePlan(document, { realm: "fra", localZone: "Europe/Berlin" });
  assert.ok(compiled.ok, compiled.ok ? "" : compiled.error.map(({ message }) => message).join("\n"));
  return lintPlan(compiled.value, { nowMs, exists: (path) => path.startsWith("/there/") }).map(
    ({ message }) => message,
  );
}

/** Document in which only the policy `n` can cause warnings. */
const policy = (n: object, more: object = {}): object => ({
  hosts: { h: hostWithPolicy },
  contacts: { ann, bea: ann },
  notifications: { n },
  ...more,
});

const rows: [name: string, document: object, expected: readonly string[]][] = [
  ["no warnings", policy({ levels: [{ contacts: ["ann", "bea"] }] }), []],
  [
    "no policy at all is said once",
    { hosts: { a: { address: "x", check }, b: { address: "x", check } } },
    ["the document declares no notification policy: no notification is ever sent"],
  ],
  ["an empty document", { hosts: {} }, []],
  [
    "objects without a policy, save those that a process with one reads",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        hosts: {
          a: { address: "x", check, services: { s: { check } } },
          b: { ...hostWithPolicy, services: { t: { check } } },
          c: { address: "x", check },
        },
        processes: {
          top: { rule: { ref: "process:mid" }, notification: "n" },
          mid: { rule: { ref: "a!s" } },
          alone: { rule: { ref: "c" } },
        },
      },
    ),
    [
      'host "a" names no notification policy: the object never notifies',
      'host "c" names no notification policy: the object never notifies',
      'service "t" on host "b" names no notification policy: the object never notifies',
      'process "alone" names no notification policy: the object never notifies',
    ],
  ],
  [
    "office hours",
    policy({ period: "office", levels: [{ contacts: ["ann", "bea"] }] }, { timeperiods: { office } }),
    [
      'notification policy "n" reaches no recipient Mon 17:00 to Tue 09:00, Tue 17:00 to Wed 09:00, Wed 17:00 to Thu 09:00, Thu 17:00 to Fri 09:00, Fri 17:00 to Mon 09:00 (Europe/Berlin)',
    ],
  ],
  [
    "contacts of two zones cover for each other, as far as they do",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        contacts: { ann: { ...ann, notification_period: "berlin" }, bea: { ...ann, notification_period: "tokyo" } },
        timeperiods: {
          berlin: { timezone: "Europe/Berlin", ranges: on([...weekdays, "saturday", "sunday"], "09:00-24:00") },
          tokyo: { timezone: "Asia/Tokyo", ranges: on([...weekdays, "saturday", "sunday"], "08:00-16:00") },
        },
      },
    ),
    [
      // Tokyo's 16:00 is 08:00 in Berlin's winter, which most of the weeks looked at are in.
      'notification policy "n" reaches no recipient Mon 08:00 to Mon 09:00, Tue 08:00 to Tue 09:00, Wed 08:00 to Wed 09:00, Thu 08:00 to Thu 09:00, Fri 08:00 to Fri 09:00, Sat 08:00 to Sat 09:00, Sun 08:00 to Sun 09:00 (Europe/Berlin)',
    ],
  ],
  [
    "a holiday is an exception and no gap; a rotation that leaves every other week out is one",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        contacts: { ann: { ...ann, notification_period: "odd" }, bea: { ...ann, notification_period: "usual" } },
        timeperiods: {
          usual: { ranges: { ...on(weekdays, "00:00-24:00"), sunday: "00:00-24:00", "2026-12-25": "00:00-00:00" } },
          odd: { ranges: { "2026-01-03 / 14": "00:00-24:00" } },
        },
      },
    ),
    ['notification policy "n" reaches no recipient Sat 00:00 to Sat 24:00 (Europe/Berlin)'],
  ],
  [
    "two rotations that complete each other",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        contacts: { ann: { ...ann, notification_period: "odd" }, bea: { ...ann, notification_period: "even" } },
        timeperiods: {
          odd: { ranges: { "2026-01-03 / 2": "00:00-24:00" } },
          even: { ranges: { "2026-01-04 / 2": "00:00-24:00" } },
        },
      },
    ),
    [],
  ],
  [
    "hours with nothing in common",
    policy(
      { period: "office", levels: [{ contacts: ["ann", "bea"], period: "night" }] },
      {
        timeperiods: { office, night: { ranges: { monday: "20:00-24:00" } } },
      },
    ),
    [
      'notification policy "n" never reaches a recipient: its periods never overlap',
      'host "h": notification names "n", a notification policy that never reaches a recipient: the object never notifies',
    ],
  ],
  [
    "threshold 0 before the last level",
    policy({ levels: [{ contacts: ["ann"] }, { contacts: ["bea"] }, { contacts: ["ann"] }] }),
    [
      'notification policy "n": levels[1] can never be reached: levels[0] has threshold 0, so problems never leave it',
      'notification policy "n": levels[2] can never be reached: levels[0] has threshold 0, so problems never leave it',
    ],
  ],
  [
    "a level that counts nothing, and one that never repeats itself",
    policy({
      levels: [
        { contacts: ["ann"], threshold: 1, renotify_interval: "0s" },
        { contacts: ["bea"], threshold: 2, disabled_kinds: ["PROBLEM", "STATUS_CHANGE"] },
        { contacts: ["ann"] },
      ],
    }),
    [
      'notification policy "n": levels[2] can never be reached: levels[1] sends neither PROBLEM nor STATUS_CHANGE, and no other kind counts towards its threshold',
      'notification policy "n": levels[0].renotify_interval is 0s: the next level is notified only if the status changes',
    ],
  ],
  [
    "a first level that sleeps holds back what a later one could tell",
    policy(
      { levels: [{ contacts: ["ann"], threshold: 1, period: "day" }, { contacts: ["bea"] }] },
      {
        timeperiods: { day: { timezone: "UTC", ranges: on([...weekdays, "saturday", "sunday"], "08:00-24:00") } },
      },
    ),
    [
      'notification policy "n": levels[0] delays problems that begin Mon 00:00 to Mon 08:00, Tue 00:00 to Tue 08:00, Wed 00:00 to Wed 08:00, Thu 00:00 to Thu 08:00, Fri 00:00 to Fri 08:00, Sat 00:00 to Sat 08:00, Sun 00:00 to Sun 08:00 (UTC), although a later level could notify',
    ],
  ],
  [
    "what nothing names, and a period that is never open",
    {
      hosts: { h: { ...hostWithPolicy, check: { ...check, check_period: "never" } } },
      contacts: { ann, bea: ann },
      notifications: { n: { levels: [{ contacts: ["ann"] }] }, m: { levels: [{ contacts: ["ann"] }] } },
      commands: { c: { line: "x" } },
      handlers: { g: { type: "legacy", path: "/there/g" } },
      timeperiods: { never: { ranges: {} }, spare: { ranges: {} }, carved: { ranges: {}, exclude: ["spare"] } },
    },
    [
      'contact "bea" is never used',
      'command "c" is never used',
      'handler "g" is never used',
      'notification policy "m" is never used',
      'timeperiod "carved" is never used',
      'timeperiod "never" is never open in the next two years',
      'timeperiod "spare" is never open in the next two years',
    ],
  ],
  [
    "programs that are not there",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        hosts: {
          h: { ...hostWithPolicy, handler: "g", check: { type: "legacy", path: "/there/a", flap: {} } },
          i: { ...hostWithPolicy, check: { type: "legacy", path: "/gone/a", flap: {} } },
          j: { ...hostWithPolicy, check: { type: "wasm", module: "gone.wasm", flap: {} } },
        },
        handlers: { g: { type: "legacy", path: "/gone/g" } },
        sinks: { s: { type: "exec", command: ["/gone/s", "-x"] } },
      },
    ),
    [
      'host "i": check.path names "/gone/a", which does not exist on this machine',
      'host "j": check.module names "gone.wasm", which does not exist on this machine',
      'handler "g": path names "/gone/g", which does not exist on this machine',
      'sink "s": command[0] names "/gone/s", which does not exist on this machine',
    ],
  ],
  [
    "certificates and panels",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        hosts: {
          h: {
            ...hostWithPolicy,
            check: { type: "tls", address: "h", warn_within: "1h", crit_within: "2h", flap: {} },
          },
          u: { ...hostWithPolicy, check: { type: "http", url: "www.example.org:80/x", flap: {} } },
          z: { ...hostWithPolicy, check: { type: "http", url: "http://[fe80::1%25eth0]/", flap: {} } },
        },
        datasources: { l: { type: "local", default: true } },
        ui: { panels: { a: { query: "q" }, b: { query: "q", datasource: "m" } } },
      },
    ),
    [
      'host "h": check.crit_within is more than warn_within, 2h > 1h: there is never a warning',
      'host "u": check.url is not an http or https URL: the check is unknown at each run',
      'panel "a" names no datasource, and the default one is local, which serves no panels',
      'panel "b": datasource names the datasource "m", which is not declared',
    ],
  ],
  [
    "[SK22] sinks and datasources that cannot work",
    policy(
      { levels: [{ contacts: ["ann", "bea"] }] },
      {
        sinks: {
          a: { type: "http", url: "example.org/in" },
          b: { type: "archive", url: "https://example.org" },
          c: { type: "archive", url: "s3://bucket" },
          d: { type: "remote_write", url: "http://p/api/v1/write", input: "events" },
          e: { type: "columnar_db", url: "http://ch:8123" },
          f: { type: "columnar_db", url: "http://ch:8123" },
          g: { type: "columnar_db", url: "http://ch:8123", input: "events" },
          i: { type: "columnar_db", url: "http://ch:8123", input: "events", table: "events" },
        },
        datasources: { p: { type: "prometheus", url: "prometheus:9090" }, l: { type: "local" } },
      },
    ),
    [
      'sink "a": url is not an http or https URL: nothing is delivered',
      'sink "b": url is neither file:///folder nor s3://bucket/prefix: nothing is archived',
      'sink "g" writes events to "perfdata", the table of the metrics of "e": name another table',
      'datasource "p": url is not an http or https URL: each query fails',
    ],
  ],
];
for (const [name, document, expected] of rows)
  test(`lint: ${name}`, () => {
    assert.deepEqual(warnings(document), expected);
  });
