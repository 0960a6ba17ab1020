import assert from "node:assert/strict";
import { after, test } from "node:test";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { type CheckRun, runCheck } from "@realmwatch/agent/checks/run-check";
import type { SnmpSpec } from "@realmwatch/shared/config/check-kinds/snmp";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import {
  authPass,
  authProtocols,
  community,
  freeUdpPort,
  ownTree,
  privPass,
  privProtocols,
  startSnmpAgent,
} from "./snmp-agent.ts";

const agent = await startSnmpAgent();
const dependencies = openTestDependencies();
after(async () => {
  await dependencies.close();
  await agent.stop();
});

const sysName = ".1.3.6.1.2.1.1.5.0";
const address = `127.0.0.1:${agent.port}`;
const v2c = { version: "v2c", community } as const;
const empty = { warn: "", crit: "", expect: "", label: "", uom: "" };

function check(more: Partial<SnmpSpec>, timeoutMs = 10_000): Promise<CheckRun> {
  const spec: SnmpSpec = { type: "snmp", address, oid: sysName, access: v2c, ...empty, ...more };
  return runCheck(servicePlan(spec, timeoutMs), checkEnvironment(), dependencies);
}
const own = (tail: string): string => `.${ownTree}.${tail}`;
const userOf = (authProto: Exclude<User["authProto"], "">, privProto: User["privProto"]): User => ({
  version: "v3",
  user: `u${authProto}${privProto}`,
  authProto,
  authPass,
  privProto,
  privPass: privProto === "" ? "" : privPass,
});
type User = Extract<SnmpSpec["access"], { version: "v3" }>;

for (const authProto of authProtocols)
  for (const privProto of privProtocols)
    test(`[SN1] v3 with ${authProto} and ${privProto || "no privacy"}`, async () => {
      const run = await check({ access: userOf(authProto, privProto) });
      assert.deepEqual([run.status, run.output], ["ok", `${sysName}: the machine`]);
    });

test("[SN1] v3 without authentication, and v2c, are supported", async () => {
  const nobody: User = { ...userOf("MD5", ""), user: "nobody", authProto: "" };
  assert.equal((await check({ access: nobody })).status, "ok");
  assert.equal((await check({})).status, "ok");
});

test("[SN2] an address is host, host:port or IPv6", async () => {
  for (const written of [`localhost:${agent.port}`, ...(ipv6SkipReason ? [] : [`[::1]:${agent.port}`])])
    assert.equal((await check({ address: written })).output, `${sysName}: the machine`, written);
  assert.match((await check({ address: "127.0.0.1:x" })).output, /^address "127.0.0.1:x" is neither host nor/);
  assert.match((await check({ oid: "sysName.0" })).output, /^oid "sysName.0" is not numeric/);
  assert.match((await check({ address: "no.such.name.invalid" })).output, /^cannot resolve no.such.name.invalid/);
});

const values: [tail: string, text: string, point: [value: number, uom: string] | undefined][] = [
  ["1.0", "-42 MB", [-42, "MB"]],
  ["2.0", "4294967295 MB", [4_294_967_295, "MB"]],
  ["3.0", "4000000000", [4_000_000_000, "c"]],
  ["4.0", "18446744073709551615", [2 ** 64, "c"]],
  ["5.0", "27364507 MB (3 d 04:00:45.07)", [27_364_507, "MB"]],
  ["6.0", "all is well", undefined],
  ["7.0", "00:1a:2b:3c:4d:5e", undefined],
  ["8.0", "1.3.6.1.4.1.8072.3.2.10", undefined],
  ["9.0", "192.0.2.7", undefined],
  ["10.0", "23.5 MB", [23.5, "MB"]],
  ["11.0", "empty", undefined],
];
for (const [tail, text, point] of values)
  test(`[SN3] the output of a value is ${text}`, async () => {
    const { status, output, perfdata } = await check({ oid: own(tail), uom: "MB" });
    assert.deepEqual([status, output], ["ok", `${own(tail)}: ${text}`]);
    assert.deepEqual(
      perfdata.map((p) => [p.label, p.value, p.uom]),
      point === undefined ? [] : [[own(tail), ...point]],
    );
  });

test("[SN3] a load average is decoded from Opaque", async () => {
  const { status, output, perfdata } = await check({ oid: ".1.3.6.1.4.1.2021.10.1.6.1", label: "load1" });
  assert.equal(status, "ok");
  assert.match(output, /^load1: [\d.]+$/);
  assert.equal(perfdata[0]?.label, "load1");
});

const judged: [tail: string, more: Partial<SnmpSpec>, status: CheckRun["status"], output: string][] = [
  ["1.0", { warn: "~:-43" }, "warning", "x: -42 is outside ~:-43"],
  ["1.0", { warn: "~:-43", crit: "@-50:-40" }, "critical", "x: -42 is inside -50:-40"],
  ["1.0", { warn: "-42:", crit: "-100:" }, "ok", "x: -42"],
  ["10.0", { crit: "23.5" }, "ok", "x: 23.5"],
  ["10.0", { crit: "23.4", uom: "C" }, "critical", "x: 23.5 C is outside 23.4"],
  ["4.0", { crit: "18446744073709551615" }, "ok", "x: 18446744073709551615"],
  ["4.0", { crit: "18446744073709551614" }, "critical", "x: 18446744073709551615 is outside 18446744073709551614"],
  ["13.0", { crit: "9007199254740992" }, "critical", "x: 9007199254740993 is outside 9007199254740992"],
  ["13.0", { crit: "9007199254740994:" }, "critical", "x: 9007199254740993 is outside 9007199254740994:"],
  ["6.0", { crit: "1" }, "unknown", "x: all is well is not a number, which a range requires"],
  ["12.0", { warn: "50" }, "unknown", "x: 42 C is not a number, which a range requires"],
  ["6.0", { expect: "all is well" }, "ok", "x: all is well"],
  ["6.0", { expect: "All is well" }, "critical", 'x: all is well instead of "All is well"'],
  ["1.0", { expect: "-42" }, "ok", "x: -42"],
  ["7.0", { expect: "00:1a:2b:3c:4d:5e" }, "ok", "x: 00:1a:2b:3c:4d:5e"],
];
for (const [tail, more, status, output] of judged)
  test(`[SN4] ${JSON.stringify(more)} of ${output}`, async () => {
    const run = await check({ oid: own(tail), label: "x", ...more });
    assert.deepEqual([run.status, run.output], [status, output]);
    for (const { warn, crit } of run.perfdata) assert.deepEqual([warn, crit], [more.warn ?? "", more.crit ?? ""]);
  });

const right = userOf("SHA256", "AES");
const failures: [name: string, more: Partial<SnmpSpec>, output: RegExp][] = [
  ["a missing object", { oid: ".1.3.6.1.2.1.99.1" }, /there is no object \.1\.3\.6\.1\.2\.1\.99\.1$/],
  ["a missing instance", { oid: ".1.3.6.1.2.1.1.5.1" }, /there is no instance \.1\.3/],
  ["an unknown user", { access: { ...right, user: "stranger" } }, /does not know the user stranger$/],
  ["a wrong password", { access: { ...right, authPass: "a wrong secret" } }, /auth_pass or auth_proto is wrong$/],
  ["a wrong hash", { access: { ...right, authProto: "SHA" } }, /auth_pass or auth_proto is wrong$/],
  ["too little protection", { access: { ...right, privProto: "" } }, /refused \.1\.[.\d]+: AuthorizationError$/],
  ["too much protection", { access: { ...userOf("SHA", ""), privProto: "AES", privPass } }, /refuses this user/],
];
for (const [name, more, output] of failures)
  test(`[SN5] ${name} is unknown with the reason`, async () => {
    const run = await check(more);
    assert.equal(run.status, "unknown");
    assert.match(run.output, output);
    assert.ok(run.output.startsWith(`${address}: `), run.output);
    assert.doesNotMatch(JSON.stringify(run), /secret|pass phrase/);
  });

test("[SN5] a missing response is unknown, without the community in the output", async () => {
  const wrong = await check({ access: { version: "v2c", community: "a wrong secret" } }, 300);
  assert.equal(wrong.status, "unknown");
  assert.equal(wrong.output, `${address}: no answer within 300ms (agents do not answer a wrong community)`);
  const wrongPrivacy = await check({ access: { ...right, privPass: "a wrong secret" } }, 300);
  assert.equal(wrongPrivacy.status, "unknown");
  assert.match(wrongPrivacy.output, /no answer within 300ms$|decryption failed: priv_pass or priv_proto is wrong$/);
  const dead = await check({ address: `127.0.0.1:${await freeUdpPort()}` }, 200);
  assert.match(dead.output, /no answer within 200ms/);
});

test("[SN6] concurrent requests to an agent are limited", async () => {
  const runs = await Promise.all(Array.from({ length: 400 }, () => check({})));
  assert.deepEqual(new Set(runs.map((run) => run.output)), new Set([`${sysName}: the machine`]));
  const dead = `127.0.0.1:${await freeUdpPort()}`;
  const late = await Promise.all(Array.from({ length: 20 }, () => check({ address: dead }, 200)));
  assert.ok(late.some((run) => run.output === `${dead}: not sent within 200ms: other requests to it are unanswered`));
});

test("[SN7] a restarted agent, or another device in its place, is recognized", async () => {
  for (const reborn of [false, true]) {
    assert.equal((await check({ access: right })).status, "ok");
    await agent.restart(reborn);
    const run = await check({ access: right });
    assert.deepEqual([run.status, run.output], ["ok", `${sysName}: the machine`]);
  }
});
