import assert from "node:assert/strict";
import { test } from "node:test";
import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import type { HostPlan, ServicePlan } from "@realmwatch/shared/config/plan";
import { type CheckOfferContext, createCheckOffer, decodeCheckOffer, zoneVersion } from "./check-offer.ts";
import { encodeZoneMessage } from "./zone-message.ts";

const schedule = { checkIntervalMs: 60_000, retryIntervalMs: 1_000, timeoutMs: 2_500, maxAttempts: 4, checkPeriod: "" };
const host = {
  key: { kind: "host", name: "dmz1" },
  address: "192.0.2.7",
  vars: { RACK: "B7" },
  schedule: { ...schedule, maxAttempts: 2 },
  services: ["dmz1!web"],
} as unknown as HostPlan;
const service = {
  key: { kind: "service", host: "dmz1", name: "web" },
  vars: { PASSWORD: "of-the-variable" },
  schedule,
} as unknown as ServicePlan;

const context: CheckOfferContext = {
  host,
  realm: {
    commands: {
      get: { line: "check_get -p $USER1$ $ARG1$ $HOSTADDRESS$", shell: false },
      other: { line: "check_other -p $USER3$", shell: false },
    },
    resources: { USER1: "first", USER2: "second", USER3: "third" },
  },
  macro: (name) => (name === "SERVICESTATE" ? "OK" : name === "HOSTSTATE" ? "UP" : undefined),
};

test("[ZO3] the offer of a command has its line and the resources used in the line or arguments", () => {
  const offer = createCheckOffer(service, { type: "command", command: "get", args: ["-x $USER2$"] }, context);
  assert.deepEqual(Object.keys(offer.commands), ["get"]);
  assert.deepEqual(offer.resources, { USER1: "first", USER2: "second" });
  assert.deepEqual(offer.macros, { HOSTSTATE: "UP", SERVICESTATE: "OK" });
  assert.deepEqual(offer.service, { name: "web", maxAttempts: 4, vars: { PASSWORD: "of-the-variable" } });
  assert.deepEqual(offer.host, { name: "dmz1", maxAttempts: 2, vars: { RACK: "B7" }, address: "192.0.2.7" });
  assert.equal(offer.timeoutMs, 2_500);
});

test("[ZO3] the offer of a check without a program has only its spec", () => {
  const check: ActiveCheckSpec = { type: "tcp", host: "192.0.2.7", port: 80 };
  const text = JSON.stringify(createCheckOffer(service, check, context));
  assert.doesNotMatch(text, /first|second|third|of-the-variable|B7|dmz1!web/);
});

for (const check of [
  { type: "legacy", path: "/bin/true", args: ["$USER1$"] },
  { type: "wasm", module: "/x.wasm", args: ["$USER1$"] },
] satisfies ActiveCheckSpec[])
  test(`[ZO3] the offer of a ${check.type} check has the macros of its environment and no resources`, () => {
    const { macros, resources, host, service: own } = createCheckOffer(service, check, context);
    assert.deepEqual([macros, resources], [{ HOSTSTATE: "UP", SERVICESTATE: "OK" }, {}]);
    assert.deepEqual([host.vars, own?.vars], [{ RACK: "B7" }, { PASSWORD: "of-the-variable" }]);
  });

test("[ZO1] offers survive encoding and decoding", () => {
  for (const plan of [host, service])
    for (const check of [
      { type: "command", command: "get", args: [] },
      { type: "command", command: "gone", args: ["$USER1$"] },
      { type: "legacy", path: "/bin/true", args: ["a"] },
      { type: "http", url: "http://192.0.2.7/" },
    ] satisfies ActiveCheckSpec[]) {
      const offer = createCheckOffer(plan, check, context);
      const read = decodeCheckOffer(encodeZoneMessage(offer));
      assert.deepEqual(read, { ok: true, value: offer });
    }
});

test("[ZO5] an offer of another version is refused because of its version", () => {
  const read = decodeCheckOffer(encodeZoneMessage({ version: zoneVersion + 1, something: "new" }));
  assert.match(read.ok ? "" : read.error, /^it uses version 1 .* the other side 2: run the same release on both$/);
});

test("[ZO5] invalid offers are refused", () => {
  const offer = createCheckOffer(service, { type: "tcp", host: "a", port: 1 }, context);
  const broken: unknown[] = [
    { ...offer, check: { type: "passive" } },
    { ...offer, check: { type: "telepathy" } },
    { ...offer, check: null },
    { ...offer, timeoutMs: 0 },
    { ...offer, host: { name: "a" } },
    { ...offer, macros: { HOSTSTATE: 1 } },
    { ...offer, resources: [] },
    [],
    "text",
    null,
  ];
  for (const message of broken) {
    const read = decodeCheckOffer(encodeZoneMessage(message as object));
    assert.equal(read.ok, false, JSON.stringify(message));
  }
  assert.equal(decodeCheckOffer(Buffer.from([0xff, 0xfe])).ok, false);
});
