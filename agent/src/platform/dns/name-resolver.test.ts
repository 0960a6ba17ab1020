import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";
import { manualClock } from "@realmwatch/shared/model/manual-clock.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { openNameResolver } from "./name-resolver.ts";
import { startNameServer } from "./name-server.fixture.ts";
import { candidateNames, parseResolvConf } from "./resolv-conf.ts";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-names-"));
const hostsFile = join(folder, "hosts");
const resolvConf = join(folder, "resolv.conf");
writeFileSync(hostsFile, "127.0.0.9 Listed listed.example # a comment\n::9 listed\nnonsense\n");
writeFileSync(resolvConf, "nameserver 192.0.2.1\nsearch svc.example example.\noptions ndots:2 rotate\n");
const server = await startNameServer({
  "web.example": ["192.0.2.1", "::1"],
  "api.svc.example": ["192.0.2.2"],
  "six.example": ["::6"],
  "empty.example": [],
  "sick.example": "servfail",
  "quiet.example": "silence",
  "old.example": ["192.0.2.8"],
});
after(() => {
  server.close();
  rmSync(folder, { recursive: true });
});

const clock = manualClock();
const resolver = openNameResolver({ clock, servers: [server.address], hostsFile, resolvConf });
const never = new AbortController().signal;

for (const [what, name, addresses] of [
  ["an IPv4 address is returned unchanged", "192.0.2.9", ["192.0.2.9"]],
  ["an IPv6 address is returned unchanged", "2001:db8::1", ["2001:db8::1"]],
  ["a name has addresses of both families, IPv4 first", "web.example", ["192.0.2.1", "::1"]],
  ["case does not matter", "WEB.Example", ["192.0.2.1", "::1"]],
  ["a final dot ends the search", "web.example.", ["192.0.2.1", "::1"]],
  ["the search list completes a short name", "api", ["192.0.2.2"]],
  ["the hosts file comes first", "listed", ["127.0.0.9", "::9"]],
  ["localhost is always this machine", "localhost", ["127.0.0.1", "::1"]],
  ["a name with IPv6 addresses only is resolved", "six.example", ["::6"]],
] as const)
  test(what, async () => assert.deepEqual(await resolver.resolve(name, never), { ok: true, value: addresses }));

for (const [name, error] of [
  ["gone.example", "unknown_name"],
  ["empty.example", "no_address"],
  ["sick.example", "server_failed"],
] as const)
  test(`${name}: ${error}`, async () => assert.deepEqual(await resolver.resolve(name, never), { ok: false, error }));

test("an aborted look-up of an unanswered name returns at once", async () => {
  const ending = new AbortController();
  const answer = resolver.resolve("quiet.example", ending.signal);
  ending.abort();
  assert.deepEqual(await answer, { ok: false, error: "aborted" });
});

test("[NC7] a name server that never answers AAAA delays a look-up by the waiting time between families only", async () => {
  const asking = resolver.resolve("old.example", never);
  let answered = false;
  void asking.then(() => {
    answered = true;
  });
  const advanceClock = (): boolean => {
    clock.advance(1_000);
    return answered;
  };
  await until("the look-up is answered", advanceClock, { everyMs: 0 });
  assert.deepEqual(await asking, { ok: true, value: ["192.0.2.8"] });
  assert.equal(server.queries.get("old.example"), 2, "before the AAAA query was repeated");
});

test("concurrent look-ups of a name share one query, which is repeated after the cache time", async () => {
  const name = "api.svc.example";
  const own = openNameResolver({ clock, servers: [server.address], hostsFile, resolvConf });
  server.queries.clear();
  await Promise.all(Array.from({ length: 50 }, () => own.resolve(name, never)));
  await own.resolve(name, never);
  assert.equal(server.queries.get(name), 2, "A and AAAA, once");
  clock.advance(5_000);
  await own.resolve(name, never);
  assert.equal(server.queries.get(name), 4);
});

test("the hosts file is reread when it changes", async () => {
  const own = openNameResolver({ clock, servers: [server.address], hostsFile, resolvConf });
  assert.deepEqual(await own.resolve("fresh", never), { ok: false, error: "unknown_name" });
  writeFileSync(hostsFile, "127.0.0.10 fresh and more names\n");
  clock.advance(1_000);
  assert.deepEqual(await own.resolve("fresh", never), { ok: true, value: ["127.0.0.10"] });
});

test("the search list and ndots of a resolv.conf are applied", () => {
  const rule = parseResolvConf("search a b\ndomain c. # later lines win\noptions ndots:3\n");
  assert.deepEqual(rule, { search: ["c"], ndots: 3 });
  assert.deepEqual(parseResolvConf("nonsense\n"), { search: [], ndots: 1 });
  assert.deepEqual(candidateNames("x", rule), ["x.c", "x"]);
  assert.deepEqual(candidateNames("x.y.z.w", rule), ["x.y.z.w", "x.y.z.w.c"]);
});
