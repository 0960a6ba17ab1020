import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { MessageInitShape } from "@bufbuild/protobuf";
import { Code, ConnectError, type ConnectRouter } from "@connectrpc/connect";
import { PairRole, type PairSchema, PairService } from "@realmwatch/proto/svc/v1/pair_pb";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { openCliServers, runTestCli } from "../../run-cli.fixture.ts";

const { serve } = openCliServers(after);
const pair = {
  ...{ self: "fra-a", role: PairRole.ACTIVE, active: "fra-a", standby: "fra-b", inSync: true, lagMs: 0 },
  ...{ term: 1_795_000_000_000n, leaseMs: 45_000, marginMs: 9_000, leaseRemainingMs: 38_250 },
  since: { seconds: 1_774_717_020n },
  lastTakeover: { at: { seconds: 1_774_717_000n }, from: "fra-b", to: "fra-a", reason: "expired", term: 5n },
} satisfies MessageInitShape<typeof PairSchema>;
const degraded = { ...pair, inSync: false, degraded: true, lagMs: 12_400, reason: "no word\u001b[2J for 2 s" };
const calls: string[] = [];

const member = (shown: MessageInitShape<typeof PairSchema>) => (router: ConnectRouter) =>
  router
    .service(QueryService, {
      getServerInfo: () => ({ aggregator: false, realm: "fra" }),
      listStatus: () => ({ pair: shown }),
      listContacts: () => ({}),
    })
    .service(PairService, {
      get: () => ({ pair: shown }),
      switch() {
        if (!shown.inSync) throw new ConnectError("the standby is not in sync", Code.FailedPrecondition);
        return { pair: { ...shown, role: PairRole.STANDBY, active: "fra-b", standby: "fra-a" } };
      },
      promote({ force }) {
        calls.push(`promote ${force}`);
        return { pair: shown };
      },
    });
const utc = { zone: "UTC" };

test("[PA54] realmwatch pair prints who is active, the standby, the lease and the last takeover", async () => {
  const url = await serve(member(pair));
  const { stdout, code } = await runTestCli(["pair", "-server", url], utc);
  assert.equal(code, 0);
  assert.match(stdout, /^member +fra-a, active since 2026-03-28 16:57:00\nactive +fra-a\nstandby +fra-b, in sync\n/);
  assert.match(stdout, /\nlease +ends in 38\.3 s \(45 s, margin 9 s\)\npromise +none\nterm +1795000000000\n/);
  assert.match(stdout, /\nlast takeover +2026-03-28 16:56:40, from fra-b to fra-a: expired\n.*\nproblem +none\n$/);
});

test("[PA54] -output json has the names and numbers of the status", async () => {
  const json = JSON.parse((await runTestCli(["pair", "-server", await serve(member(pair)), "-output", "json"])).stdout);
  assert.deepEqual(json, {
    ...{ self: "fra-a", role: "active", active: "fra-a", standby: "fra-b", inSync: true, degraded: false, lagMs: 0 },
    ...{ term: 1_795_000_000_000, leaseMs: 45_000, marginMs: 9_000, leaseRemainingMs: 38_250, promiseRemainingMs: 0 },
    ...{ reason: "", since: "2026-03-28T16:57:00.000Z", documentsDiffer: false },
    lastTakeover: { at: "2026-03-28T16:56:40.000Z", from: "fra-b", to: "fra-a", reason: "expired", term: 5 },
  });
});

test("[PA54] a standby that is away or behind is named by pair and status, without control characters", async () => {
  const url = await serve(member(degraded));
  const { stdout } = await runTestCli(["pair", "-server", url], utc);
  assert.match(stdout, /\nstandby +fra-b, 12 s behind\n/);
  assert.match(stdout, /\nproblem +the standby fra-b is away or behind: no word.*for 2 s\n$/);
  const status = await runTestCli(["status", "-server", url]);
  assert.match(status.stdout, /^pair of this realm: the standby fra-b is away or behind: no word/);
  assert.ok(!`${stdout}${status.stdout}`.includes("\u001b"));
});

test("[PA54] an active member that goes on without its lease says that the standby would not take over", async () => {
  const reason = "the lease cannot be renewed: NATS is away";
  const url = await serve(member({ ...pair, leaseRemainingMs: 0, reason }));
  const { stdout } = await runTestCli(["pair", "-server", url], utc);
  assert.match(stdout, new RegExp(`\\nproblem +the standby fra-b would not take over: ${reason}\\n$`));
});

test("[PA54] an aggregator shows the pairs of its realms, and refuses switch and promote", async () => {
  const url = await serve((router) =>
    router.service(QueryService, {
      getServerInfo: () => ({ aggregator: true }),
      listContacts: () => ({}),
      listStatus: () => ({
        realms: [
          { name: "ams", reachable: true, freshness: 1 },
          { name: "fra", reachable: true, freshness: 1, pair: degraded },
        ],
      }),
    }),
  );
  assert.match((await runTestCli(["pair", "-server", url], utc)).stdout, /^realm fra\nmember +fra-a/);
  assert.match((await runTestCli(["status", "-server", url])).stdout, /^pair of realm fra: the standby fra-b is away/);
  assert.match(
    (await runTestCli(["realms", "-server", url])).stdout,
    / PAIR .*\nams .*\nfra .* fra-a \/ fra-b: the st/,
  );
  for (const words of [["switch"], ["promote", "-force", "-yes"]]) {
    const refused = await runTestCli(["pair", ...words, "-server", url]);
    assert.equal(refused.code, 2);
    assert.match(refused.stderr, /is an aggregator: name a member of the pair with -server\n$/);
  }
});

test("[PA54] pair switch prints the pair after it, or why the standby cannot take over", async () => {
  const done = await runTestCli(["pair", "switch", "-server", await serve(member(pair))], utc);
  assert.match(done.stdout, /^member +fra-a, standby since .*\nactive +fra-b\n/);
  const refused = await runTestCli(["pair", "switch", "-server", await serve(member(degraded))]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /the standby is not in sync/);
});

test("[PA54] pair promote needs -force and a confirmation, and says what may be lost", async () => {
  const url = await serve(member(degraded));
  const promote = (flags: readonly string[], answer?: boolean) => {
    const asked: string[] = [];
    const confirm = async (question: string) => {
      asked.push(question);
      return answer === true;
    };
    const run = runTestCli(["pair", "promote", ...flags, "-server", url], answer === undefined ? {} : { confirm });
    return run.then((done) => ({ ...done, asked: asked.join() }));
  };
  assert.match((await promote([])).stderr, /pair promote needs -force: what the other member alone has may be lost/);
  assert.match((await promote(["-force"])).stderr, /-yes is required without a terminal/);
  const refused = await promote(["-force"], false);
  assert.match(refused.asked, /Make fra-a active\? What the other member accepted .* may be lost/);
  assert.deepEqual([refused.code, calls], [1, []]);
  assert.equal((await promote(["-force"], true)).code, 0);
  assert.equal((await promote(["-force", "-yes"])).code, 0);
  assert.deepEqual(calls, ["promote true", "promote true"]);
});

test("[PA54] an agent without a pair says so", async () => {
  const url = await serve((router) => router.service(QueryService, { getServerInfo: () => ({ realm: "fra" }) }));
  const refused = await runTestCli(["pair", "-server", url]);
  assert.equal(refused.code, 1);
  assert.match(refused.stderr, /is not a member of a pair: it runs without -pair/);
});
