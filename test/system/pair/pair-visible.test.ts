import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { outputOf } from "../../run/cli.ts";
import {
  startNats,
  startTcpTarget,
  startTestAgent,
  startTestAggregator,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";

type PairJson = Readonly<Record<string, unknown>>;
const leaseSeconds = 3;

/** Pair as `realmwatch pair` of a member prints it. */
const pairOf = async ({ base }: Pick<TestProgram, "base">): Promise<PairJson> =>
  JSON.parse(await outputOf(["pair", "-server", base, "-output", "json"], {})) as PairJson;
const statusOf = async ({ base }: Pick<TestProgram, "base">, page: string): Promise<number> =>
  (await fetch(`${base}${page}`)).status;

async function metricsOf({ base }: Pick<TestProgram, "base">): Promise<ReadonlyMap<string, number>> {
  const text = await (await fetch(`${base}/metrics`)).text();
  return new Map(
    [...text.matchAll(/^realmwatch_pair_(\S+) (\S+)$/gm)].map(([, name = "", value]) => [name, Number(value)]),
  );
}

/** Collects each freshness that a realm has at the centre, until `stop` or the end of the scope. */
function watchFreshness(scope: TestScope, { base }: Pick<TestProgram, "base">) {
  const seen = new Set<unknown>();
  let isStopped = false;
  const watch = async (): Promise<void> => {
    while (!isStopped) {
      const { body } = await call(base, "QueryService/ListStatus", {});
      seen.add((body["realms"] as readonly PairJson[])[0]?.["freshness"]);
      await sleep(30);
    }
  };
  const watching = watch();
  const stop = async (): Promise<void> => {
    isStopped = true;
    await watching;
  };
  atEnd(scope, stop);
  return { seen, stop };
}

test("[PA50-PA54] a pair shows at both members and at the centre who is active, and is handed over by command", async (t) => {
  const [nats, target] = await Promise.all([startNats(t), startTcpTarget(t)]);
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", flags: { "nats-url": nats.url } });
  const secret = join(tempFolder(t), "secret");
  writeFileSync(secret, "s".repeat(40));
  const config = `hosts: web: {address: "127.0.0.1", check: {type: "tcp", address: "${target.address}", check_interval: "1s", retry_interval: "1s", timeout: "2s", flap: {enabled: false}}}\n`;
  const [portA, portB] = [await freePort(), await freePort()];
  const start = (name: string, port: number, peer: number) =>
    startTestAgent(t, {
      ...{ config, realm: "fra" },
      flags: {
        ...{ port, pair: name, "pair-peer": `http://127.0.0.1:${peer}`, "pair-secret-file": secret },
        ...{ "pair-lease": `${leaseSeconds}s`, "nats-url": nats.url },
      },
    });
  const members = await Promise.all([start("fra-a", portA, portB), start("fra-b", portB, portA)]);
  const seen = (): Promise<readonly PairJson[]> => Promise.all(members.map(pairOf));
  const states = await until("one member is active, the other a standby in sync", async () => {
    const found = await seen();
    const roles = found.map(({ role }) => role).sort();
    return roles.join() === "active,standby" && found.every(({ inSync }) => inSync) && found;
  });
  const at = states[0]?.["role"] === "active" ? 0 : 1;
  const [active, standby] = [members[at] as TestProgram, members[1 - at] as TestProgram];
  const [activeName, standbyName] = at === 0 ? ["fra-a", "fra-b"] : ["fra-b", "fra-a"];
  for (const pair of states)
    assert.deepEqual(
      [pair["active"], pair["standby"], pair["leaseMs"], pair["reason"]],
      [activeName, standbyName, leaseSeconds * 1_000, ""],
    );
  assert.deepEqual(
    [await statusOf(active, "/activez"), await statusOf(standby, "/activez"), await statusOf(standby, "/readyz")],
    [200, 503, 200],
  );
  const [ofActive, ofStandby] = [await metricsOf(active), await metricsOf(standby)];
  assert.deepEqual([ofActive.get("active"), ofStandby.get("active"), ofStandby.get("in_sync")], [1, 0, 1]);
  await until("the standby answers reads, with the pair", async () => {
    const { body } = await call(standby.base, "QueryService/ListStatus", {});
    return (body["pair"] as PairJson)["role"] === "PAIR_ROLE_STANDBY" && (await statusRows(standby.base))["web"];
  });
  await until("the realm has its pair at the centre", async () => {
    const { body } = await call(centre.base, "QueryService/ListStatus", {});
    const [realm] = body["realms"] as readonly PairJson[];
    return realm?.["freshness"] === "REALM_FRESHNESS_CURRENT" && (realm["pair"] as PairJson)["active"] === activeName;
  });

  let last = "";
  const freshness = watchFreshness(t, centre);
  await outputOf(["pair", "switch", "-server", standby.base], {});
  await until("the standby is active", async () => (await pairOf(standby))["role"] === "active");
  await until(
    "the other member follows",
    async () => {
      const { role, inSync, lastTakeover } = await pairOf(active);
      last = JSON.stringify(await seen());
      return role === "standby" && inSync && (lastTakeover as PairJson)["reason"] === "switch";
    },
    { seen: () => last },
  );
  await until("the centre shows the new active member", async () =>
    (await outputOf(["pair", "-server", centre.base], {})).includes(`active         ${standbyName}`),
  );
  await until(
    "the takeover is in the history of the centre",
    async () => {
      last = await outputOf(["history", "-server", centre.base, "-type", "pair_takeover"], {});
      return last.includes(`from ${activeName} to ${standbyName}: switch`);
    },
    { seen: () => last },
  );
  assert.equal((await metricsOf(standby)).get('takeovers_total{reason="switch"}'), 1);

  await freshness.stop();
  assert.deepEqual([...freshness.seen], ["REALM_FRESHNESS_CURRENT"], "the realm stays current at the centre");

  await active.stop("SIGKILL");
  await until("the loss of the standby is shown", async () => (await pairOf(standby))["degraded"] === true);
  await until("the centre marks it", async () =>
    /^pair of realm fra: the standby fra-. is away or behind/m.test(
      await outputOf(["status", "-server", centre.base], {}),
    ),
  );
});
