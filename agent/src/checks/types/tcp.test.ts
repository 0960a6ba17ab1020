import assert from "node:assert/strict";
import { once } from "node:events";
import { type AddressInfo, createServer } from "node:net";
import { after, test } from "node:test";
import { ipv6SkipReason } from "@realmwatch/shared/platform/testing/ipv6.fixture";
import { startNameServer } from "../../platform/dns/name-server.fixture.ts";
import { checkEnvironment, openTestDependencies, servicePlan } from "../plan.fixture.ts";
import { type CheckRun, runCheck } from "../run-check.ts";

const zone = { "web.example": ["127.0.0.1"], "both.example": ["::1", "127.0.0.1"], "dead.example": "silence" } as const;
const names = await startNameServer(zone);
const dependencies = openTestDependencies([names.address]);
const server = createServer((socket) => socket.on("error", () => {})).listen(0, "127.0.0.1");
const server6 = createServer().listen(0, ipv6SkipReason ? "127.0.0.1" : "::1");
await Promise.all([once(server, "listening"), once(server6, "listening")]);
after(async () => {
  names.close();
  server.close();
  server6.close();
  await dependencies.close();
});
const port = (server.address() as AddressInfo).port;
const port6 = (server6.address() as AddressInfo).port;

const tcp = (host: string, to: number, timeoutMs = 10_000): Promise<CheckRun> =>
  runCheck(servicePlan({ type: "tcp", host, port: to }, timeoutMs), checkEnvironment(), dependencies);

for (const [what, host, to] of [
  ["an address", "127.0.0.1", port],
  ["a name", "web.example", port],
  ["localhost", "localhost", port],
  ["IPv6", "::1", port6],
  ["a name with one address that refuses", "both.example", port6],
] as const)
  test(`[NC5] tcp to ${what} is ok and timed`, { skip: to === port6 && ipv6SkipReason }, async () => {
    const run = await tcp(host, to);
    assert.equal(run.status, "ok", run.output);
    assert.match(run.output, /^connected to .+ in \d+(\.\d+)? m?s$/);
    assert.deepEqual(
      run.perfdata.map((p) => [p.label, p.uom]),
      [["time", "s"]],
    );
  });

test("[NC5] tcp to a closed port is critical", { skip: ipv6SkipReason }, async () => {
  const run = await tcp("::1", 1);
  assert.deepEqual([run.status, run.output], ["critical", "cannot connect to [::1]:1: connection refused"]);
});

test("tcp to a name that does not exist is critical", async () => {
  const run = await tcp("gone.example", port);
  assert.deepEqual([run.status, run.output], ["critical", "cannot resolve gone.example: the name does not exist"]);
});

test("[NC7] tcp to an unanswered name is critical at its timeout, and a hundred of them delay no other check", async () => {
  const dead = Array.from({ length: 100 }, () => tcp("dead.example", port, 400));
  const alive = await tcp("web.example", port);
  assert.equal(alive.status, "ok");
  const first = await Promise.race(dead);
  assert.deepEqual([first.status, first.output], ["critical", "tcp check timed out after 400ms"]);
  await Promise.all(dead);
  assert.ok((names.queries.get("dead.example") ?? 0) <= 8, "one look-up for all checks");
});

test("a check that is interrupted is unknown", async () => {
  const check = servicePlan({ type: "tcp", host: "dead.example", port });
  const ending = new AbortController();
  const run = runCheck(check, checkEnvironment({ signal: ending.signal }), dependencies);
  ending.abort();
  assert.deepEqual([(await run).status, (await run).output], ["unknown", "tcp check was interrupted"]);
  assert.equal((await runCheck(check, checkEnvironment({ signal: ending.signal }), dependencies)).status, "unknown");
});
