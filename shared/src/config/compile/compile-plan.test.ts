import assert from "node:assert/strict";
import { test } from "node:test";
import { muteView, noDeliveries } from "../../model/catalog.ts";
import type { RealmPlan } from "../plan.ts";
import { countObjects, planCatalog } from "../plan-catalog.ts";
import type { HostDocument } from "../schema/host.ts";
import { compilePlan, type PlanOptions } from "./compile-plan.ts";

const options: PlanOptions = { realm: "fra", localZone: "Europe/Berlin" };
const icmp = { type: "icmp", host: "h", flap: {} };
const host = (more: object = {}): object => ({ address: "192.0.2.1", check: icmp, ...more });

function plan(json: object): RealmPlan {
  const compiled = compilePlan(json, options);
  assert.ok(compiled.ok, compiled.ok ? "" : compiled.error.map(({ message }) => message).join("\n"));
  return compiled.value;
}
const messages = (json: unknown): string[] => {
  const compiled = compilePlan(json, options);
  return compiled.ok ? [] : compiled.error.map(({ message }) => message);
};

test("defaults are set, and durations are in ms", () => {
  const { objects, timeperiods } = plan({
    hosts: { web1: host({ services: { tls: { check: { type: "tls", address: "h", flap: {} } } } }) },
    timeperiods: { always: { ranges: {} }, tokyo: { timezone: "Asia/Tokyo", ranges: {} } },
  });
  const service = objects.get("web1!tls");
  assert.ok(service !== undefined && "check" in service);
  assert.deepEqual(service.check, {
    type: "tls",
    host: "h",
    port: 443,
    warnWithinMs: 1_209_600_000,
    critWithinMs: 259_200_000,
  });
  assert.deepEqual(service.schedule, {
    checkIntervalMs: 60_000,
    retryIntervalMs: 15_000,
    timeoutMs: 10_000,
    maxAttempts: 3,
    checkPeriod: "",
  });
  assert.deepEqual(service.flap, {
    enabled: true,
    alpha: 0.1,
    highThreshold: 0.3,
    lowThreshold: 0.15,
    notifyOnFlapStop: false,
  });
  assert.equal(timeperiods.get("always")?.timezone, "Europe/Berlin");
  assert.equal(timeperiods.get("tokyo")?.timezone, "Asia/Tokyo");
});

test("[DP9] an object has what its dependencies read, once and at most 100 of it", () => {
  const names = Array.from({ length: 120 }, (_, at) => `core${at}`);
  const cores = Object.fromEntries(names.map((name) => [name, host({ labels: { tier: "core" } })]));
  const failsOn = ["critical"];
  const { objects } = plan({
    hosts: { web1: host({ services: { http: { check: icmp } } }), web2: host(), ups: host(), ...cores },
    dependencies: {
      power: { dependents: [{ ref: "web1!http" }, { ref: "web2" }], on: { ref: "ups" }, fails_on: failsOn },
      again: { dependents: [{ ref: "web1!http" }], on: { all: [{ ref: "core1" }, { ref: "ups" }] }, fails_on: failsOn },
      core: { dependents: [{ ref: "web2" }], on: { select: "tier=core" }, fails_on: failsOn },
    },
  });
  const dependsOn = (ref: string) => objects.get(ref)?.about.dependsOn;
  assert.deepEqual(dependsOn("web1!http"), ["ups", "core1"]);
  assert.deepEqual(dependsOn("web2"), ["ups", ...names.slice(0, 99)]);
  assert.deepEqual([dependsOn("web1"), dependsOn("ups")], [[], []]);
});

test("a service inherits its host's zone and labels, and its own override them", () => {
  const { objects } = plan({
    hosts: {
      a: host({
        zone: "dmz",
        labels: { site: "fra", tier: "web" },
        services: { s: { check: icmp, labels: { tier: "db" } }, t: { check: icmp, zone: "lan" } },
      }),
    },
  });
  assert.deepEqual(objects.get("a!s")?.about.labels, { site: "fra", tier: "db" });
  assert.equal(objects.get("a!s")?.about.zone, "dmz");
  assert.equal(objects.get("a!t")?.about.zone, "lan");
});

test("objects are in order and have parents, children and services", () => {
  const compiled = plan({
    processes: { shop: { rule: { ref: "b" } } },
    hosts: {
      a: host({ services: { s: { check: icmp } } }),
      b: host({ parents: ["a", "a"] }),
      c: host({ parents: ["a"] }),
    },
  });
  assert.deepEqual([...compiled.objects.keys()], ["a", "b", "c", "a!s", "process:shop"]);
  const a = compiled.objects.get("a");
  assert.ok(a !== undefined && "children" in a);
  assert.deepEqual([a.children, a.services], [["b", "c"], ["a!s"]]);
  assert.deepEqual(compiled.objects.get("b")?.about.parents, ["a"]);
  assert.deepEqual(countObjects(compiled), { host: 3, service: 1, process: 1 });
});

test("selectors are replaced by the matching objects; @realm is the agent's realm", () => {
  const { objects, recurringDowntimes } = plan({
    hosts: { a: host({ labels: { x: "1" } }), b: host() },
    processes: {
      p: { rule: { at_least: { percent: 50, of: [{ select: "@realm=fra,@kind=host" }, { not: { ref: "a" } }] } } },
    },
    timeperiods: { t: { ranges: {} } },
    downtimes: { d: { selector: "x", scope: "host", period: "t" } },
  });
  const process = objects.get("process:p");
  assert.ok(process !== undefined && "rule" in process);
  assert.deepEqual(process.rule, {
    kind: "at_least",
    needed: { percent: 50 },
    of: [
      {
        kind: "worst",
        of: [
          { kind: "ref", ref: "a" },
          { kind: "ref", ref: "b" },
        ],
      },
      { kind: "not", of: { kind: "ref", ref: "a" } },
    ],
  });
  assert.deepEqual(process.inputs, ["a", "b"]);
  assert.equal(
    process.about.rule,
    '{"at_least":{"percent":50,"of":[{"select":"@realm=fra,@kind=host"},{"not":{"ref":"a"}}]}}',
  );
  assert.deepEqual(recurringDowntimes[0]?.refs, ["a"]);
});

test("a digest changes if and only if the object's definition changes", () => {
  const base = { hosts: { a: host({ services: { s: { check: icmp } } }), b: host() } };
  const digests = (json: object): Record<string, string | undefined> =>
    Object.fromEntries(["a", "b", "a!s"].map((ref) => [ref, plan(json).objects.get(ref)?.digest]));
  const before = digests(base);
  assert.deepEqual(digests(structuredClone(base)), before);
  // A new child and a new service are not a's own definition.
  const grown = {
    hosts: {
      ...base.hosts,
      a: host({ services: { s: { check: icmp }, t: { check: icmp } } }),
      c: host({ parents: ["a"] }),
    },
  };
  assert.deepEqual(digests(grown), before);
  const renamed = digests({ hosts: { ...base.hosts, b: host({ labels: { x: "y" } }) } });
  assert.notEqual(renamed.b, before.b);
  assert.deepEqual({ ...renamed, b: before.b }, before);
  const line = (text: string): object => ({
    hosts: { ...base.hosts, b: host({ check: { type: "command", command: "c", flap: {} } }) },
    commands: { c: { line: text } },
  });
  assert.notEqual(digests(line("ping a")).b, digests(line("ping b")).b);
});

/** Another value of each field of a host's own definition. */
const otherHost: Record<Exclude<keyof HostDocument, "services">, unknown> = {
  address: "192.0.2.2",
  check: { ...icmp, check_interval: "5s" },
  parents: ["gw"],
  labels: { x: "y" },
  zone: "dmz",
  notification: "ops",
  vars: { PORT: "1" },
  handler: "restart",
  handler_enabled: false,
};

test("the digest of a host changes with each field of its definition", () => {
  const declared = {
    contacts: { ann: { type: "webhook", url: "http://192.0.2.3" } },
    notifications: { ops: { levels: [{ contacts: ["ann"] }] } },
    handlers: { restart: { type: "command", command: "c" } },
    commands: { c: { line: "true" } },
  };
  const digestWith = (more: object): string | undefined =>
    plan({ ...declared, hosts: { gw: host(), a: host(more) } }).objects.get("a")?.digest;
  for (const [field, value] of Object.entries(otherHost))
    assert.notEqual(digestWith({ [field]: value }), digestWith({}), field);
});

test("the hash of a plan changes with every part of the document", () => {
  const empty = plan({ hosts: {} });
  assert.equal(plan({ hosts: {}, contacts: {} }).hash, empty.hash);
  assert.notEqual(plan({ hosts: {}, views: { v: { selector: "a" } } }).hash, empty.hash);
  assert.notEqual(plan({ hosts: { a: host() } }).hash, empty.hash);
});

test("a catalog contains no secrets", () => {
  const secret = "s3cr3t";
  const catalog = planCatalog(
    plan({
      hosts: {},
      resources: { USER1: secret },
      commands: { c: { line: `x ${secret}` } },
      contacts: {
        w: { type: "webhook", url: secret },
        p: { type: "pager", routing_key: secret },
        e: { type: "email", address: secret },
      },
      sinks: { s: { type: "http", url: secret, headers: { Authorization: secret } } },
      datasources: { d: { type: "prometheus", url: secret, headers: { a: secret } } },
      ui: { panels: { p: { query: secret, title: "T" } }, availability: {} },
      slos: { x: { selector: "a", target: 99 } },
    }),
  );
  assert.doesNotMatch(JSON.stringify(catalog), /s3cr3t/);
  assert.deepEqual(catalog.contacts[0], {
    name: "w",
    type: "webhook",
    labels: {},
    notificationPeriod: "",
    remaining: undefined,
    ...muteView(undefined),
    ...noDeliveries,
  });
  assert.deepEqual(catalog.panels, [{ name: "p", title: "T", unit: "", selector: "" }]);
});

test("empty down_statuses select every problem status", () => {
  const { slos } = plan({ hosts: {}, ui: { availability: {} }, slos: { a: { selector: "x", target: 100 } } });
  assert.deepEqual(slos[0]?.downStatuses, ["warning", "critical", "unknown", "unreachable"]);
});

test("an invalid field is reported once and does not hide problems of other fields", () => {
  const found = messages({
    hosts: {
      a: {
        address: 1,
        zone: "",
        labels: { app: "a b" },
        check: { type: "tcp", address: "", max_attempts: 0 },
        notification: "unknown policy",
      },
    },
    timeperiods: { t: { ranges: {} } },
    downtimes: { d: { selector: "app", scope: "host", period: "t" } },
  });
  assert.deepEqual(found, [
    'host "a": address must be a string, not a number',
    'host "a": zone must not be empty',
    'host "a": labels.app must match ^[a-zA-Z0-9][a-zA-Z0-9_.:/-]*$, which "a b" does not',
    'host "a": check.address must not be empty',
    'host "a": check.max_attempts must be at least 1, not 0',
    'host "a": check.flap is missing',
    'host "a": notification names the notification policy "unknown policy", which is not declared',
  ]);
});

test("[RL20] labels of more than 16 KiB together are refused with the object, the size and the limit", () => {
  /** Labels of `bytes` bytes, keys and values together. */
  const labels = (key: string, bytes: number) =>
    Object.fromEntries(
      Array.from({ length: 8 }, (_, i) => [`${key}${i}`, "x".repeat(bytes / 8 - key.length - 1)] as const),
    );
  const check = { type: "tcp", address: "a:1", flap: {} };
  const document = (bytes: number) => ({
    hosts: {
      a: { ...{ address: "a", check, labels: labels("a", bytes) }, services: { t: { check } } },
      b: {
        ...{ address: "b", check, labels: labels("b", bytes / 2) },
        services: { s: { check, labels: labels("s", bytes / 2) } },
      },
    },
    processes: { p: { rule: { ref: "a" }, labels: labels("p", bytes) } },
    contacts: { c: { type: "webhook", url: "http://w", labels: labels("c", bytes) } },
  });
  assert.deepEqual(messages(document(16_384)), []);
  const problem = "labels have 16400 bytes, and the labels of one object at most 16384";
  assert.deepEqual(messages(document(16_400)).sort(), [
    `contact "c": ${problem}`,
    `host "a": ${problem}`,
    `process "p": ${problem}`,
    `service "s" on host "b": ${problem}`,
  ]);
});

test("no JSON value makes the compiler throw", () => {
  const values: unknown[] = [
    null,
    true,
    1,
    "",
    "x",
    [],
    [[]],
    {},
    { a: {} },
    { type: "tcp" },
    { a: [1, null, { b: {} }] },
  ];
  for (const value of values) {
    assert.ok(messages(value).length > 0);
    for (const section of [
      "hosts",
      "processes",
      "contacts",
      "notifications",
      "timeperiods",
      "dependencies",
      "ui",
      "slos",
      "event_handlers",
    ])
      for (const inner of values) messages({ hosts: {}, [section]: { x: inner }, [`${section}x`]: value });
  }
  for (const name of ["__proto__", "constructor", "toString"]) {
    const json = JSON.parse(
      `{"hosts": {"${name}": {"address": "x", "check": {"type": "${name}"}, "notification": "${name}", "handler": "${name}"}}}`,
    );
    assert.equal(messages(json).length, 3);
  }
});

for (const [address, expected] of [
  ["web.example:22", ["web.example", 22]],
  ["[2001:db8::5]:22", ["2001:db8::5", 22]],
  ["[fe80::1%eth0]:22", ["fe80::1%eth0", 22]],
  ["[fe80::1%br-lan.7]:22", ["fe80::1%br-lan.7", 22]],
  ["[fe80::1%]:22", undefined],
  ["fe80::1:22", undefined],
  ["[web.example]:22", undefined],
  ["web.example:0", undefined],
] as const)
  test(`the address ${address} is ${expected === undefined ? "invalid" : "valid"}`, () => {
    const document = { hosts: { web1: host({ check: { type: "tcp", address, flap: {} } }) } };
    if (expected === undefined) return assert.match(messages(document).join(), /must be host:port/);
    const object = plan(document).objects.get("web1");
    assert.ok(object !== undefined && "check" in object && object.check.type === "tcp");
    assert.deepEqual([object.check.host, object.check.port], expected);
  });
