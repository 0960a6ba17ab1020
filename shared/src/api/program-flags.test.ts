import assert from "node:assert/strict";
import { test } from "node:test";
import { identitySubCommands } from "../identity/sub-commands.ts";
import { parseFlags } from "../platform/flags/flags.ts";
import { checkProgramFlags, outboundPolicyOf, programFlags } from "./program-flags.ts";

const read = (args: string[], env: Record<string, string> = {}) =>
  parseFlags(programFlags, { args, env, commands: identitySubCommands });

test("the default values match the documentation", () => {
  const flags = read([]);
  assert.ok(flags.ok);
  const { trustedProxies, ...values } = flags.value.values;
  assert.equal(trustedProxies.includes("127.0.0.1"), false);
  assert.deepEqual(values, {
    listen: { host: "127.0.0.1", port: 8080 },
    tlsCert: undefined,
    tlsKey: undefined,
    tlsClientCa: undefined,
    metricsListen: undefined,
    apiToken: undefined,
    authConfig: undefined,
    readOnly: false,
    sessionSecret: undefined,
    sessionTtl: 43_200_000,
    natsUrl: undefined,
    natsCreds: undefined,
    natsCa: undefined,
    natsCert: undefined,
    natsKey: undefined,
    logLevel: "info",
    logFormat: "json",
    allowedHosts: [],
    outboundDeny: undefined,
    publicUrl: undefined,
    dataDir: "./realmwatch-data",
  });
});

test("[PT9] metadata addresses are denied in the demo profile, unless -outbound-deny names other networks", () => {
  const denials = (args: string[], demo: boolean): boolean[] => {
    const flags = read(args);
    assert.ok(flags.ok);
    const policy = outboundPolicyOf(flags.value.values, { demo });
    return ["169.254.169.254", "fe80::1", "10.0.0.1"].map((address) => policy.denies(address));
  };
  assert.deepEqual(denials([], true), [true, true, false]);
  assert.deepEqual(denials([], false), [false, false, false]);
  assert.deepEqual(denials(["-outbound-deny", ""], true), [true, true, false]);
  for (const demo of [true, false])
    assert.deepEqual(denials(["-outbound-deny", "10.0.0.0/8"], demo), [false, false, true]);
});

test("-api-token and -auth-config are mutually exclusive", () => {
  const both = read(["-api-token", "abc"], { REALMWATCH_AUTH_CONFIG: "auth.cue" });
  assert.ok(both.ok);
  assert.match(JSON.stringify(checkProgramFlags(both.value.values)), /-api-token and -auth-config are both given/);
  const one = read(["-api-token", "abc"]);
  assert.ok(one.ok && checkProgramFlags(one.value.values).ok);
});

test("-nats-cert and -nats-key need each other", () => {
  for (const args of [
    ["-nats-cert", "cert.pem"],
    ["-nats-key", "key.pem"],
  ]) {
    const one = read(args);
    assert.ok(one.ok);
    assert.match(JSON.stringify(checkProgramFlags(one.value.values)), /-nats-cert and -nats-key need each other/);
  }
  const both = read(["-nats-cert", "cert.pem", "-nats-key", "key.pem"]);
  assert.ok(both.ok && checkProgramFlags(both.value.values).ok);
});

test("[IN12] -tls-cert and -tls-key need each other, and -tls-client-ca needs both", () => {
  const messageOf = (...args: string[]): string => {
    const flags = read(args);
    assert.ok(flags.ok);
    const checked = checkProgramFlags(flags.value.values);
    return checked.ok ? "" : checked.error;
  };
  const [cert, key, clientCa] = [
    ["-tls-cert", "cert.pem"],
    ["-tls-key", "key.pem"],
    ["-tls-client-ca", "ca.pem"],
  ] as const;
  for (const args of [cert, key, [...clientCa, ...cert]])
    assert.match(messageOf(...args), /^-tls-cert and -tls-key need/);
  assert.match(messageOf(...clientCa), /^-tls-client-ca needs -tls-cert and -tls-key/);
  assert.equal(messageOf(...cert, ...key, ...clientCa), "");
});

for (const args of [
  ["-session-ttl", "0s"],
  ["-metrics-listen", "9100"],
  ["-session-ttl", "-1h"],
  ["-session-ttl", "12"],
  ["-session-secret", "c4nary"],
  ["-api-token", "two words"],
  ["-trusted-proxies", "10.0.0.0/64"],
  ["-public-url", "example.org"],
  ["-log-level", "loud"],
  ["-data-dir", ""],
  ["-nats-url", "http://user:c4nary@nats.example.org:4222"],
  ["-nats-url", "nats://user:c4nary@"],
  ["-nats-url", "nats://user:c4nary%@nats.example.org"],
  ["-nats-url", "nats://a:4222,c4nary://b"],
])
  test(`[IN12] refuses ${args.join(" ")}`, () => {
    const result = read(args);
    assert.ok(!result.ok && result.error.kind === "usage");
    if (/secret|token|nats/.test(args[0] ?? "")) assert.ok(!result.error.message.includes(args[1] ?? ""));
  });

test("-nats-url takes one server or several joined by commas, with or without scheme and login", () => {
  for (const url of [
    "nats://a",
    "tls://u:p%20w@a:4222",
    "a:4222",
    "10.0.0.1:4222, nats://[::1]:4222",
    "nats://token@a",
  ])
    assert.ok(read(["-nats-url", url]).ok, url);
});
