import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo, LookupFunction } from "node:net";
import { type TestContext, test } from "node:test";
import { Agent, interceptors, request } from "undici";
import { outboundConnector } from "./outbound-connector.ts";
import { metadataNetworks, OutboundDenied, parseOutboundDeny } from "./outbound-policy.ts";

const policyOf = (list: string) => {
  const parsed = parseOutboundDeny(list);
  assert.ok(parsed.ok, JSON.stringify(parsed));
  return parsed.value;
};

const denied = [
  "169.254.169.254",
  "[fe80::1]",
  "fe80::1%eth0",
  "::ffff:169.254.169.254",
  "[::ffff:a9fe:a9fe]",
  "64:ff9b::a9fe:a9fe",
  "::169.254.169.254",
  "::a9fe:a9fe",
  "::ffff:0:169.254.169.254",
  "64:ff9b:1::a9fe:a9fe",
  "64:ff9b:1:2:3:4:169.254.169.254",
  "64:FF9B::169.254.169.254",
  "2002:a9fe:a9fe::1",
  "2002:a9fe:a9fe:1:2:3:4:5",
  "100.100.100.200",
  "fd00:ec2::254",
];
for (const host of denied)
  test(`[PT9] the demo profile's list denies ${host}`, () => assert.ok(policyOf(metadataNetworks).denies(host)));

for (const host of [
  "127.0.0.1",
  "::1",
  "10.0.0.1",
  "192.168.1.1",
  "64:ff9b::a00:1",
  "64:ff9b::",
  "2002:a00:1::a9fe:a9fe",
  "2001:db8::a9fe:a9fe",
  "metadata.google.internal",
  "",
])
  test(`[PT9] the demo profile's list allows ${host || "no host"}`, () =>
    assert.equal(policyOf(metadataNetworks).denies(host), false));

for (const host of ["0.0.0.0", "::", "[::]", "0:0:0:0:0:0:0:0", "::ffff:0.0.0.0", "[::ffff:0:0]"])
  test(`[PT9] a list with a loopback address denies ${host}, which connects to it, and another list does not`, () => {
    assert.ok(policyOf("127.0.0.0/8").denies(host));
    assert.ok(policyOf("10.0.0.0/8, ::1").denies(host));
    assert.equal(policyOf(metadataNetworks).denies(host), false);
  });

/** Resolves every name to one address. */
const resolvesTo =
  (...addresses: string[]): LookupFunction =>
  (_host, _options, done) =>
    done(
      null,
      addresses.map((address) => ({ address, family: 4 })),
    );

async function openSite(t: TestContext) {
  const hosts: string[] = [];
  const server = createServer((received, response) => {
    hosts.push(received.headers.host ?? "");
    const to = new URL(received.url ?? "", "http://x").searchParams.get("to");
    response.writeHead(to === null ? 200 : 302, to === null ? {} : { location: to }).end();
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.after(() => server.close());
  return { port: (server.address() as AddressInfo).port, hosts };
}

const denial = (error: unknown) => error instanceof OutboundDenied;

test("[PT9] a denied address is refused as host, after resolution and after a redirect", async (t) => {
  const { port, hosts } = await openSite(t);
  const policy = policyOf("127.0.0.2/31, ::1");
  const agent = (lookup: LookupFunction) =>
    new Agent({ connect: outboundConnector(policy, { lookup }) }).compose(
      interceptors.redirect({ maxRedirections: 3 }),
    );
  const direct = agent(resolvesTo("127.0.0.1"));
  for (const host of ["127.0.0.3", "[::1]", "[::ffff:127.0.0.2]"])
    await assert.rejects(request(`http://${host}:${port}/`, { dispatcher: direct }), denial, host);
  await assert.rejects(request(`http://name:${port}/`, { dispatcher: agent(resolvesTo("127.0.0.2")) }), denial);
  const redirect = `http://127.0.0.1:${port}/?to=${encodeURIComponent(`http://127.0.0.3:${port}/`)}`;
  await assert.rejects(request(redirect, { dispatcher: direct }), denial);
  assert.deepEqual(hosts, [`127.0.0.1:${port}`]);
  const mixed = await request(`http://name:${port}/`, { dispatcher: agent(resolvesTo("127.0.0.2", "127.0.0.1")) });
  assert.equal(mixed.statusCode, 200);
});

test("[PT9] a name of international characters is refused when it resolves to a denied address", async () => {
  const asked: string[] = [];
  const lookup: LookupFunction = (host, options, done) => {
    asked.push(host);
    resolvesTo("127.0.0.2")(host, options, done);
  };
  const dispatcher = new Agent({ connect: outboundConnector(policyOf("127.0.0.2"), { lookup }) });
  for (const host of ["b\u00fccher.example", "xn--bcher-kva.example", "B\u00dcCHER\u3002example"])
    await assert.rejects(request(`http://${host}:9/`, { dispatcher }), denial, host);
  assert.deepEqual(new Set(asked), new Set(["xn--bcher-kva.example"]));
});

test("a list with something else than networks is refused", () => {
  assert.deepEqual(parseOutboundDeny("10.0.0.0/8,web1"), {
    ok: false,
    error: 'has "web1", which is neither an address nor a CIDR block',
  });
});
