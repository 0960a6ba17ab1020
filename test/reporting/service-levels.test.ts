import assert from "node:assert/strict";
import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { outputOf, runRealmwatch } from "../run/cli.ts";
import { startNats, startTestAgent, startTestAggregator, type TestProgram } from "../run/processes.ts";
import { realmStates, sendCommand, serviceTarget } from "../run/rows.ts";

const passive = `{type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const document = `
hosts: web1: {
	address: "127.0.0.1"
	check: ${passive}
	services: http: {check: ${passive}, labels: app: "shop"}
}
ui: availability: range: "24h"
slos: shop: {selector: "app=shop", target: 99}
slos: counted: {selector: "app=shop", target: 99, exclude_downtimes: false}
`;
const http = serviceTarget("web1", "http");

type Slo = {
  readonly name: string;
  readonly realm: string;
  /** Left out of the JSON when 0. */
  readonly achieved?: number;
  readonly errorBudgetLeft: number;
  readonly burnRate: number;
  readonly evidence: number;
  readonly objects: readonly {
    readonly evidence: number;
    readonly seconds: readonly { readonly status?: string; readonly seconds: number }[];
    readonly downtimeSeconds: number;
  }[];
};

async function availability(base: string, request: object = {}) {
  const answer = await call(base, "QueryService/QueryAvailability", request);
  assert.ok(answer.ok, answer.message);
  return answer.body as { slos: Slo[]; unanswered?: { realm: string; code: string; message: string }[] };
}

/** Seconds of the only object of an objective, by status. */
async function secondsOf(base: string, name = "shop"): Promise<Record<string, number>> {
  const [slo] = (await availability(base, { slo: name })).slos;
  const [object] = slo?.objects ?? [];
  const entries = object?.seconds.map(({ status = "STATUS_UNSPECIFIED", seconds }) => [status, seconds]) ?? [];
  return Object.fromEntries([...entries, ["downtime", object?.downtimeSeconds ?? 0]]);
}

const submit = (agent: TestProgram, status: string): Promise<unknown> =>
  sendCommand(agent.base, "ProcessCheckResult", { object: http.object, status: `STATUS_${status}`, output: status });

test("[SL1, SL3, SL9] an agent reports time up, down, in downtime and without an agent", async (t) => {
  const agent = await startTestAgent(t, { config: document });
  await submit(agent, "OK");
  await until("time passes in OK", async () => ((await secondsOf(agent.base))["STATUS_OK"] ?? 0) > 0.3);
  await submit(agent, "CRITICAL");
  await until("time passes in CRITICAL", async () => ((await secondsOf(agent.base))["STATUS_CRITICAL"] ?? 0) > 0.3);
  const now = Date.now();
  await sendCommand(agent.base, "ScheduleDowntime", {
    target: http,
    start: new Date(now).toISOString(),
    end: new Date(now + 3_600_000).toISOString(),
    author: "ann",
    comment: "disks",
  });
  await until("time passes in downtime", async () => ((await secondsOf(agent.base))["downtime"] ?? 0) > 0.3);
  const [excluded, counted] = [await secondsOf(agent.base), await secondsOf(agent.base, "counted")];
  assert.ok(
    (counted["STATUS_CRITICAL"] ?? 0) > (excluded["STATUS_CRITICAL"] ?? 0) + 0.25,
    JSON.stringify({ excluded, counted }),
  );

  const before = await secondsOf(agent.base, "counted");
  await agent.stop("SIGKILL");
  await new Promise((resolve) => setTimeout(resolve, 1_500));
  await agent.restart();
  const after = await secondsOf(agent.base, "counted");
  const all = (seconds: Record<string, number>) => seconds["STATUS_UNSPECIFIED"] ?? 0;
  // The range ends later by now; what it began with and the outage are without evidence.
  assert.ok(all(after) > 1.5, JSON.stringify({ before, after }));
  assert.ok((after["STATUS_CRITICAL"] ?? 0) + 1 > (before["STATUS_CRITICAL"] ?? 0));
  const history = await call(agent.base, "QueryService/ListHistory", { types: ["HISTORY_TYPE_GAP"] });
  assert.match(JSON.stringify(history.body), /no agent of the realm ran (since|before)/);

  const refusals: [object, string][] = [
    [{ slo: "nope" }, "not_found"],
    [{ realm: "mars" }, "not_found"],
    [{ from: "2026-03-02T00:00:00Z", to: "2026-03-01T00:00:00Z" }, "invalid_argument"],
    [{ from: "2026-03-01T00:00:00Z", to: "2026-03-01T00:00:00Z" }, "invalid_argument"],
    [{ from: "2010-03-01T00:00:00Z", to: "2026-03-01T00:00:00Z" }, "invalid_argument"],
  ];
  for (const [request, code] of refusals)
    assert.equal(
      (await call(agent.base, "QueryService/QueryAvailability", request)).code,
      code,
      JSON.stringify(request),
    );
});

test("[SL11, SL13] an aggregator asks every realm and names the one that does not answer; the command line too", async (t) => {
  const nats = await startNats(t);
  const flags = { "nats-url": nats.url };
  const [fra, ams] = await Promise.all(
    ["fra", "ams"].map((realm) => startTestAgent(t, { config: document, realm, flags })),
  );
  assert.ok(fra !== undefined && ams !== undefined);
  const centre = await startTestAggregator(t, { realms: `realms: {fra: {url: "${fra.base}"}, ams: {}}\n`, flags });
  await Promise.all([submit(fra, "OK"), submit(ams, "CRITICAL")]);
  await until("both realms answer", async () => {
    const { slos, unanswered = [] } = await availability(centre.base, { slo: "shop" }).catch(
      () => ({ slos: [] }) as never,
    );
    return unanswered.length === 0 && slos.length === 2;
  });
  const bySlo = async () =>
    Object.fromEntries(
      (await availability(centre.base)).slos.map(({ realm, name, achieved = 0 }) => [`${realm} ${name}`, achieved]),
    );
  assert.deepEqual(await bySlo(), { "fra shop": 100, "fra counted": 100, "ams shop": 0, "ams counted": 0 });
  assert.equal((await availability(centre.base, { realm: "ams", slo: "shop" })).slos[0]?.realm, "ams");
  for (const request of [{ slo: "nope" }, { realm: "mars" }])
    assert.equal((await call(centre.base, "QueryService/QueryAvailability", request)).code, "not_found");

  const before = { from: "2026-01-01T00:00:00Z", to: "2026-02-01T00:00:00Z" };
  for (const { base } of [fra, centre])
    for (const slo of (await availability(base, before)).slos) {
      const given = ["achieved", "errorBudgetLeft", "burnRate", "evidence"].filter((name) => name in slo);
      assert.deepEqual(
        [given, slo.evidence, slo.objects[0]?.evidence],
        [["evidence"], 0, 0],
        "before the realm existed",
      );
    }

  const env = { REALMWATCH_SERVER: centre.base, NO_COLOR: "1" };
  assert.match(
    await outputOf(["slo", "-from", before.from, "-to", before.to], env),
    /ACHIEVED .* EVIDENCE +OBJECTS *\n(.*\n)*ams +shop +99 % +no evidence +0\.00 % low +1/,
  );
  assert.match(await outputOf(["slo"], env), /REALM +SLO +TARGET +ACHIEVED .*\n(.*\n)*ams +shop +99 % +0\.0000 %/);
  const csv = await outputOf(["slo", "shop", "-csv"], env);
  assert.match(csv, /^realm,name,target,achieved,.*downtimeSeconds,objectEvidence\r\n(ams|fra),shop,99,/);
  assert.match(await outputOf(["slo", "-objects", "-realm", "fra"], env), /fra +shop +web1!http/);

  await ams.stop("SIGKILL");
  await until("ams is unreachable", async () => (await realmStates(centre.base))["ams"]?.reachable === false);
  const { slos, unanswered } = await availability(centre.base);
  assert.deepEqual(
    [slos.map(({ realm }) => realm), unanswered?.map(({ realm, code }) => [realm, code])],
    [["fra", "fra"], [["ams", "unavailable"]]],
  );
  const told = await runRealmwatch(["slo"], { env });
  assert.equal(told.code, 1);
  assert.match(told.stderr, /realm ams: unavailable: /);
  assert.equal((await call(centre.base, "QueryService/QueryAvailability", { realm: "ams" })).code, "unavailable");
});
