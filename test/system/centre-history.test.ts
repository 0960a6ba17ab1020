import assert from "node:assert/strict";
import { test } from "node:test";
import { create, toBinary } from "@bufbuild/protobuf";
import { RealmEventSchema } from "@realmwatch/proto/svc/v1/state_pb";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import { eventSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { Redis } from "ioredis";
import { connect } from "nats";
import { call } from "../run/call.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { realmStates, sendCommand } from "../run/rows.ts";

type RecordJson = { readonly id: string; readonly realm?: string; readonly at: string; readonly type: string };
type UnansweredJson = { readonly realm: string; readonly code: string; readonly heldSince?: string };
type HistoryJson = {
  readonly records?: readonly (RecordJson & { readonly comment?: string })[];
  readonly nextPageToken?: string;
  readonly unanswered?: readonly UnansweredJson[];
};

/** Number of records of one realm that Redis holds of 300 realms. */
const heldOfOne = 2_000;
const silentRealms = 298;
const hosts = 10;
const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const document = Array.from(
  { length: hosts },
  (_, at) => `hosts: h${at}: {address: "a", labels: odd: "${at % 2}", ${passive}}\n`,
).join("");
const patient = { withinMs: 60_000 };

const historyAt = (base: string, request: object) => call(base, "QueryService/ListHistory", request);

async function pageAt(base: string, request: object): Promise<HistoryJson> {
  const answer = await historyAt(base, request);
  assert.ok(answer.ok, `${answer.code} ${answer.message}`);
  return answer.body as HistoryJson;
}

/** All pages of a query, and the realms that were unanswered on any of them. */
async function allPages(base: string, request: object = {}) {
  const records: RecordJson[] = [];
  const unanswered = new Map<string, UnansweredJson>();
  for (let pageToken = ""; ; ) {
    const page = await pageAt(base, { pageSize: 900, ...request, pageToken });
    records.push(...(page.records ?? []));
    for (const missing of page.unanswered ?? []) unanswered.set(missing.realm, missing);
    pageToken = page.nextPageToken ?? "";
    if (pageToken === "") return { records, unanswered };
  }
}

const idsOf = (records: readonly RecordJson[]): readonly string[] => records.map(({ id }) => id);
const msOf = ({ at }: RecordJson): number => Date.parse(at);

/** Submits results that alternate, each of which is a record of history, and returns the realm's own history. */
async function addRecords(agent: TestProgram, count: number): Promise<readonly RecordJson[]> {
  const results = Array.from({ length: count }, (_, at) => ({
    object: { host: { name: `h${at % hosts}` } },
    status: Math.floor(at / hosts) % 2 === 0 ? "STATUS_CRITICAL" : "STATUS_OK",
    output: `result ${at}`,
  }));
  const sent = await sendCommand(agent.base, "ProcessCheckResults", { results });
  assert.ok(sent.ok, sent.message);
  return until(
    "all results are records",
    async () => {
      const { records } = await allPages(agent.base);
      return records.length >= count ? records : undefined;
    },
    { ...patient, everyMs: 250 },
  );
}

/** Starts the realms fra, called over NATS, and ams, which has a URL, among 300, with an aggregator of each store. */
async function start(scope: TestScope) {
  const [nats, redis] = await Promise.all([startNats(scope), startRedis(scope)]);
  const flags = { "nats-url": nats.url };
  const agents = ["fra", "ams"].map((realm) => startTestAgent(scope, { config: document, realm, flags }));
  const [fra, ams] = await Promise.all(agents);
  assert.ok(fra && ams);
  const realms = [
    `realms: fra: {unreachable_after: "8s", labels: region: "eu"}`,
    `realms: ams: {url: "${ams.base}", unreachable_after: "8s"}`,
    ...Array.from({ length: silentRealms }, (_, at) => `realms: r${at}: {}`),
  ].join("\n");
  const startInMemory = (): Promise<TestProgram> => startTestAggregator(scope, { realms, flags });
  const [withRedis, inMemory] = await Promise.all([
    startTestAggregator(scope, { realms, flags: { ...flags, "redis-url": redis.url } }),
    startInMemory(),
  ]);
  const [own] = await Promise.all([addRecords(fra, 2 * heldOfOne + 510), addRecords(ams, 40)]);
  for (const { base } of [withRedis, inMemory])
    await until(
      "the newest record is stored",
      async () => {
        const { records = [] } = await pageAt(base, { realm: "fra", pageSize: 1 });
        return records[0]?.id === own[0]?.id && (await realmStates(base))["fra"]?.reachable;
      },
      patient,
    );
  return { nats, redis, fra, ams, withRedis, inMemory, startInMemory, own };
}

/** Number of calls of the realm by an aggregator so far. */
async function callsOf({ base }: TestProgram, realm: string): Promise<number> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const counts = text.matchAll(new RegExp(`^realmwatch_forward_total\\{[^}]*realm="${realm}"[^}]*\\} (\\d+)`, "gm"));
  return [...counts].reduce((sum, [, count]) => sum + Number(count), 0);
}

/** Publishes history records of a realm that has no agent, and resolves when they are stored. */
async function publishRecords(url: string, realm: string, seqs: readonly number[]): Promise<void> {
  const connection = await connect({ servers: url });
  const startMs = Date.now() - 3_600_000;
  for (const seq of seqs) {
    const record = { realm, seq, atMs: startMs + seq * 1000, type: "state", status: "ok" } as const;
    const key = { kind: "host", name: "web1" } as const;
    const event = realmEventToProto({ ...record, key }, realm);
    const data = toBinary(RealmEventSchema, create(RealmEventSchema, event));
    await connection.jetstream().publish(eventSubject(realm), data);
  }
  await connection.close();
}

test("history at the centre is complete, or says what is not held", async (t) => {
  const { nats, redis, fra, ams, withRedis, inMemory, startInMemory, own } = await start(t);
  const centres = [
    { name: "with Redis", centre: withRedis },
    { name: "in memory", centre: inMemory },
  ];
  assert.ok(own.length > 2 * heldOfOne);

  for (const { name, centre } of centres) {
    await t.test(`[RM33] ${name} a search finds what the realm itself finds`, async () => {
      const search = "RESULT 12";
      const found = await allPages(centre.base, { realm: "fra", search });
      const foundByRealm = await allPages(fra.base, { search });
      assert.ok(foundByRealm.records.length > 100);
      assert.deepEqual(idsOf(found.records), idsOf(foundByRealm.records));
      assert.equal(found.unanswered.size, 0);
    });

    await t.test(`[FD77] ${name} the pages of a realm have each record once, newest first`, async () => {
      const { records, unanswered } = await allPages(centre.base, { realm: "fra" });
      assert.deepEqual(idsOf(records), idsOf(own));
      assert.equal(unanswered.size, 0);
    });

    await t.test(`[FD77] ${name} so do the pages of all realms, and the silent realms are named`, async () => {
      const { records, unanswered } = await allPages(centre.base);
      const ofAms = (await allPages(ams.base)).records;
      for (const [realm, expected] of [
        ["fra", own],
        ["ams", ofAms],
      ] as const)
        assert.deepEqual(idsOf(records.filter((record) => record.realm === realm)), idsOf(expected));
      assert.equal(records.length, own.length + ofAms.length);
      assert.ok(records.every((record, at) => at === 0 || msOf(record) <= msOf(records[at - 1] ?? record)));
      assert.equal(unanswered.size, silentRealms);
    });

    await t.test(`[FD77] ${name} filters select the same records as at the realm`, async () => {
      const middle = own[Math.floor(own.length / 2)];
      const object = { host: { name: "h3" } };
      for (const [filter, ownFilter] of [
        [
          { types: ["HISTORY_TYPE_STATE"], object },
          { types: ["HISTORY_TYPE_STATE"], object },
        ],
        [{ selector: "region=eu,odd=1" }, { selector: "odd=1" }],
        [{ until: middle?.at }, { until: middle?.at }],
        [
          { since: own.at(-5)?.at, until: middle?.at },
          { since: own.at(-5)?.at, until: middle?.at },
        ],
      ] as const) {
        const { records, unanswered } = await allPages(centre.base, { realm: "fra", ...filter });
        const expected = (await allPages(fra.base, ownFilter)).records;
        assert.deepEqual(idsOf(records), idsOf(expected), JSON.stringify(filter));
        assert.equal(unanswered.size, 0);
      }
    });

    await t.test(`[FD77] ${name} a query that what is held answers asks no realm`, async () => {
      const before = await callsOf(centre, "fra");
      const page = await pageAt(centre.base, { realm: "fra", pageSize: 1000 });
      assert.equal(page.records?.length, 1000);
      assert.equal(await callsOf(centre, "fra"), before);
    });
  }

  await t.test("[FD76] missing records between stored ones are a record in their place, for every filter", async () => {
    await publishRecords(nats.url, "r0", [1, 2, 4, 8]);
    const filters = [{}, { object: { host: { name: "web1" } } }, { types: ["HISTORY_TYPE_NOTIFICATION"] }];
    for (const { centre } of centres) {
      const shown = await until(
        "all records",
        async () => {
          const { records = [], unanswered = [] } = await pageAt(centre.base, { realm: "r0" }).catch(
            () => ({}) as HistoryJson,
          );
          return records.length === 6 ? { records, unanswered } : undefined;
        },
        patient,
      );
      assert.deepEqual(
        shown.records.map(({ id, type, comment = "" }) => `${id} ${type.slice("HISTORY_TYPE_".length)} ${comment}`),
        [
          "8 STATE ",
          "7 GAP history records 5 to 7 are missing",
          "4 STATE ",
          "3 GAP history record 3 is missing",
          "2 STATE ",
          "1 STATE ",
        ],
      );
      assert.deepEqual(
        shown.unanswered.map(({ realm, heldSince }) => [realm, heldSince]),
        [["r0", shown.records[0]?.at]],
      );
      for (const filter of filters) {
        const { records = [] } = await pageAt(centre.base, { realm: "r0", ...filter });
        assert.deepEqual(
          records.filter(({ type }) => type.endsWith("GAP")).map(({ id }) => id),
          ["7", "3"],
        );
      }
    }
  });

  await t.test("[FD78] while an emptied Redis is filled again no page is short without saying so", async () => {
    const client = new Redis(redis.url);
    await client.flushall();
    const filled = async (): Promise<boolean> => {
      const [meta = ""] = await client.keys("rw:v*{fra}:meta");
      return (await client.hexists(meta, "historyGeneration")) === 1;
    };
    for (let isFilled = false; !isFilled; ) {
      isFilled = await filled();
      const { records, unanswered } = await allPages(withRedis.base, { realm: "fra" });
      if (unanswered.size === 0) assert.deepEqual(idsOf(records), idsOf(own));
    }
    client.disconnect();
  });

  await t.test("[FD78] so it is while an aggregator without Redis is filled", async () => {
    const fresh = await startInMemory();
    await until("an answer", async () => {
      const answer = await historyAt(fresh.base, { realm: "fra", pageSize: 1000 });
      if (!answer.ok) return assert.equal(answer.code, "unavailable");
      const { records = [], unanswered = [] } = answer.body as HistoryJson;
      if (unanswered.length === 0) assert.deepEqual(idsOf(records), idsOf(own.slice(0, 1000)));
      return unanswered.length === 0;
    });
  });

  await t.test("[FD77] of a dead realm what is held is shown, with the time since which that is all", async () => {
    await fra.stop("SIGKILL");
    const { records, unanswered } = await allPages(withRedis.base, { realm: "fra" });
    assert.deepEqual(idsOf(records), idsOf(own.slice(0, heldOfOne)));
    const missing = unanswered.get("fra");
    assert.equal(missing?.code, "unavailable");
    const sinceMs = Date.parse(missing?.heldSince ?? "");
    assert.ok(records.filter((record) => msOf(record) >= sinceMs).length > 0);
    assert.ok(own.slice(heldOfOne).every((record) => msOf(record) < sinceMs));
  });
});
