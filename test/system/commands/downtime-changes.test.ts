import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { passiveHosts } from "../../faults/redis/redis-faults.ts";
import { call } from "../../run/call.ts";
import { startNats, startTestAgent, startTestAggregator } from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";

type Result = { readonly realm: string; readonly matched?: number; readonly code?: string };
type Downtimes = readonly { readonly changeId?: string }[];

const patient = { withinMs: 60_000 };
const realms = ["ams", "fra", "nyc"];
const hostsOfRealm = 700;

test("[DT14, DT15, DT16] one change of 2 100 downtimes in three realms is deleted by one call", async (t) => {
  const nats = await startNats(t);
  const flags = { "nats-url": nats.url };
  const agents = await Promise.all(
    realms.map((realm) => startTestAgent(t, { config: passiveHosts(hostsOfRealm), realm, flags })),
  );
  const centre = await startTestAggregator(t, { realms: "realms: {ams: {}, fra: {}, nyc: {}}\n", flags });
  const rows = () => statusRows(centre.base);
  await until("rows of all realms", async () => Object.keys(await rows()).length === 3 * hostsOfRealm, patient);

  const start = new Date().toISOString();
  const scheduleDowntime = {
    start,
    end: new Date(Date.now() + 3_600_000).toISOString(),
    comment: "move",
    author: "ann",
  };
  const bulk = await call(centre.base, "RealmBulkService/Execute", {
    ...{ selector: "@kind=host", requestId: "move-1", scheduleDowntime },
  });
  assert.deepEqual(
    (bulk.body["results"] as readonly Result[]).map(({ realm, matched }) => [realm, matched]),
    realms.map((realm) => [realm, hostsOfRealm]),
  );
  const downtimesOf = async (base: string): Promise<Downtimes> => {
    const { body } = await call(base, "QueryService/ListStatus", { withDowntimes: true });
    return ((body["rows"] ?? []) as readonly { downtimes: Downtimes }[]).flatMap(({ downtimes }) => downtimes);
  };
  await until("the downtimes", async () => (await downtimesOf(centre.base)).length === 3 * hostsOfRealm, patient);
  assert.ok((await downtimesOf(centre.base)).every(({ changeId }) => changeId === "move-1"));

  const remove = (changeId: string, headers: Readonly<Record<string, string>> = {}) =>
    call(centre.base, "RealmCommandService/DeleteDowntime", { request: { changeId, author: "bob" } }, headers);
  assert.equal((await remove("move-2")).code, "not_found");
  const keyed = { "idempotency-key": "once" };
  const answers = [await remove("move-1", keyed), await remove("move-1", keyed)];
  const expected = realms.map((realm) => ({ realm, matched: hostsOfRealm }));
  for (const { body } of answers)
    assert.deepEqual(
      (body["results"] as readonly Result[]).map(({ realm, matched }) => ({ realm, matched })),
      expected,
    );
  assert.equal((await remove("move-1")).code, "not_found");
  for (const { base } of agents) assert.deepEqual(await downtimesOf(base), []);
  const history = await call(agents[0]?.base ?? "", "QueryService/ListHistory", {
    ...{ types: ["HISTORY_TYPE_DOWNTIME_CANCELLED"], pageSize: 1 },
  });
  assert.equal((history.body["records"] as Downtimes)[0]?.changeId, "move-1");
});
