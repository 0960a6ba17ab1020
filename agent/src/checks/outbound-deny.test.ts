import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { type TestContext, test } from "node:test";
import type { ActiveCheckSpec } from "@realmwatch/shared/config/check-spec";
import { loopbackHosts, loopbackNetworks } from "@realmwatch/shared/platform/network/loopback-hosts.fixture";
import { parseOutboundDeny } from "@realmwatch/shared/platform/network/outbound-policy";
import { openCheckDependencies } from "./open-check-dependencies.ts";
import { checkEnvironment, servicePlan } from "./plan.fixture.ts";
import { runCheck } from "./run-check.ts";

const denied = "127.0.0.2";
const noThresholds = { warn: "", crit: "", expect: "", label: "", uom: "" };

function openChecks(t: TestContext, list: string) {
  const outbound = parseOutboundDeny(list);
  assert.ok(outbound.ok);
  const dependencies = openCheckDependencies({ outbound: outbound.value });
  t.after(() => dependencies.close());
  return (spec: ActiveCheckSpec) => runCheck(servicePlan(spec, 5_000), checkEnvironment(), dependencies);
}

async function openSite(t: TestContext) {
  const hosts: string[] = [];
  const server = createServer((request, response) => {
    hosts.push(request.headers.host ?? "");
    const own = `http://${denied}:${(server.address() as AddressInfo).port}/latest/meta-data/`;
    const location = new URL(request.url ?? "", own).searchParams.get("to") ?? own;
    // A header has no other characters than those of ASCII.
    const ascii = location.replace(/\P{ASCII}/gu, encodeURIComponent);
    response.writeHead(request.url?.startsWith("/redirect") ? 302 : 200, { location: ascii }).end();
  });
  server.listen(0, "0.0.0.0");
  await once(server, "listening");
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, hosts };
}

test("[PT9] an HTTP check connects to no denied address, neither directly nor after a redirect", async (t) => {
  const { port, hosts } = await openSite(t);
  const run = openChecks(t, `${denied}, 169.254.0.0/16`);
  const redirected = await run({ type: "http", url: `http://127.0.0.1:${port}/redirect` });
  const output = `connections to ${denied} are denied by -outbound-deny`;
  assert.deepEqual([redirected.status, redirected.output], ["critical", output]);
  const direct = await run({ type: "http", url: `http://${denied}:${port}/` });
  assert.deepEqual([direct.status, direct.output], ["critical", output]);
  assert.deepEqual(hosts, [`127.0.0.1:${port}`]);
  assert.equal((await run({ type: "http", url: `http://127.0.0.1:${port}/` })).status, "ok");
});

test("[PT9] an HTTP check finds a denied address in every form that a URL can give it, directly and in a redirect", async (t) => {
  const { port, hosts } = await openSite(t);
  const direct = openChecks(t, loopbackNetworks);
  // The site itself is reached at an address that is not denied.
  const redirected = openChecks(t, "127.0.0.0/31, ::1");
  for (const host of loopbackHosts) {
    const url = `http://${host}:${port}/`;
    for (const { status, output } of [
      await direct({ type: "http", url }),
      await redirected({ type: "http", url: `http://${denied}:${port}/redirect?to=${encodeURIComponent(url)}` }),
    ]) {
      assert.match(output, /^connections to \S+ are denied by -outbound-deny$/, host);
      assert.equal(status, "critical", host);
    }
  }
  assert.deepEqual(new Set(hosts), new Set([`${denied}:${port}`]));
});

test("[PT9] no check connects to a name whose addresses are all denied", async (t) => {
  const run = openChecks(t, "127.0.0.0/8, ::1");
  const v2c = { version: "v2c", community: "public" } as const;
  const specs: ActiveCheckSpec[] = [
    { type: "tcp", host: "localhost", port: 9 },
    { type: "icmp", host: "127.0.0.1" },
    { type: "icmp", host: "localhost" },
    { type: "dns", host: "localhost", port: 53, name: "example.org" },
    { type: "snmp", address: "localhost:161", oid: "1.3.6.1", access: v2c, ...noThresholds },
  ];
  for (const spec of specs) {
    const { status, output } = await run(spec);
    assert.match(output, /^connections to (localhost|127\.0\.0\.1) are denied by -outbound-deny$/, spec.type);
    assert.notEqual(status, "ok");
  }
});
