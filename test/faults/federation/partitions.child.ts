// Runs in a network namespace of its own; ends with code 0 when everything held.

import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { connect } from "node:net";
import { atEnd, openScope, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import {
  startTestAgent,
  startTestAggregator,
  type TestHost,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../../run/rows.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";
import { startTestNetwork } from "./test-network.ts";

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;
const config = `hosts: {h1: {address: "a", ${passive}}, h2: {address: "a", ${passive}}}\n`;
const patient = { withinMs: 60_000, everyMs: 100 };
const natsPort = 4222;

type RealmState = {
  readonly name: FaultRealm;
  readonly freshness: string;
  readonly reachable: boolean;
  readonly lastSeen?: string;
};

/** Starts a nats-server on a host. */
async function startNatsOn(scope: TestScope, { address, enter }: TestHost): Promise<string> {
  const [command = "", ...words] = [...enter, "nats-server", "-a", address, "-p", String(natsPort), "-js"];
  const server = spawn(command, [...words, "-sd", tempFolder(scope, "nats")], { stdio: "ignore" });
  atEnd(scope, () => void server.kill("SIGKILL"));
  const answers = (): Promise<boolean> =>
    new Promise((resolve) => {
      const socket = connect(natsPort, address, () => resolve(true)).on("error", () => resolve(false));
      socket.setTimeout(1_000, () => resolve(false)).unref();
    });
  await until("NATS accepts connections", answers);
  return `nats://${address}:${natsPort}`;
}

async function stateOf({ base }: TestProgram): Promise<Readonly<Record<FaultRealm, RealmState>>> {
  const { body } = await call(base, "QueryService/ListStatus", { pageSize: 1 });
  const states = (body["realms"] ?? []) as RealmState[];
  return Object.fromEntries(states.map((state) => [state.name, state])) as Record<FaultRealm, RealmState>;
}

async function h1At({ base }: TestProgram, realm: FaultRealm) {
  return (await statusRows(base, { realm }))[`${realm}/h1`] as { readonly status: string; readonly stale?: boolean };
}

const isCurrent = async (centre: TestProgram, realm: FaultRealm, status: string): Promise<boolean> => {
  const row = await h1At(centre, realm);
  return row?.status === status && row.stale === false;
};

const setH1 = (agent: TestProgram, status: string): Promise<unknown> =>
  sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name: "h1" } }, status });

const addComment = (centre: TestProgram, realm: FaultRealm, text: string) =>
  call(centre.base, "RealmCommandService/AddComment", {
    realm,
    request: { target: hostTarget("h1"), author: "ann", text },
  });

const commentsOf = async ({ base }: TestProgram): Promise<readonly string[]> =>
  ((await statusRows(base))["h1"]?.comments ?? []).map(({ text }) => text);

/** Line of `/readyz` about NATS. */
async function natsLineOf({ base }: TestProgram) {
  const { dependencies } = (await (await fetch(`${base}/readyz`)).json()) as {
    dependencies: Readonly<Record<string, { ok: boolean; detail: string }>>;
  };
  return dependencies["nats"];
}

async function run(scope: TestScope): Promise<void> {
  const network = await startTestNetwork(scope, [...faultRealms, "centre", "nats"]);
  const { hosts } = network;
  const natsUrl = await startNatsOn(scope, hosts.nats);
  const flags = { "nats-url": natsUrl, "log-level": "warn" };
  const start = (realm: FaultRealm) => startTestAgent(scope, { config, realm, flags, host: hosts[realm] });
  const [fra, ams, dub] = await Promise.all([start("fra"), start("ams"), start("dub")]);
  const entries = faultRealms.map(
    (realm) => `${realm}: {${realm === "fra" ? `url: "${fra.base}", ` : ""}unreachable_after: "8s"}`,
  );
  const centre = await startTestAggregator(scope, {
    realms: `realms: {${entries.join(", ")}}\n`,
    flags,
    host: hosts.centre,
  });
  const untilCurrent = (realm: FaultRealm, status: string) =>
    until(`${realm} is current`, () => isCurrent(centre, realm, status), {
      ...patient,
      seen: () => centre.output().slice(-2_000),
    });
  for (const realm of faultRealms) await untilCurrent(realm, "STATUS_PENDING");

  // fra is cut off in both directions; ams still sends, and receives nothing.
  network.cut("fra", "nats");
  network.cut("nats", "fra");
  network.cut("nats", "ams");
  const watch = watchRealm(centre, "dub");
  const late = addComment(centre, "ams", "late");
  await Promise.all([setH1(fra, "STATUS_CRITICAL"), setH1(ams, "STATUS_CRITICAL"), setH1(dub, "STATUS_CRITICAL")]);
  await untilCurrent("dub", "STATUS_CRITICAL");
  const lost = await late;
  assert.equal(lost.code, "deadline_exceeded", `${lost.code} ${lost.message}`);
  await until("fra is unreachable", async () => (await stateOf(centre)).fra.reachable === false, patient);
  const cutOff = (await stateOf(centre)).fra;
  assert.equal(cutOff.freshness, "REALM_FRESHNESS_UNREACHABLE");
  const lastKnown = await h1At(centre, "fra");
  assert.deepEqual([lastKnown.status, lastKnown.stale], ["STATUS_PENDING", true], "the last known row stays");
  // The way to its URL is open; a realm that is known to be unreachable gets no command all the same.
  assert.equal((await addComment(centre, "fra", "refused")).code, "unavailable");
  await until(
    "ams, which receives no acknowledgements, is not current with its old row",
    async () => {
      const row = await h1At(centre, "ams");
      return row.status === "STATUS_CRITICAL" || row.stale === true;
    },
    patient,
  );
  await until("the agent noticed the broken link", async () => (await natsLineOf(fra))?.ok === false, patient);
  assert.equal((await stateOf(centre)).fra.lastSeen, cutOff.lastSeen, "the time of the last heartbeat stays");
  network.heal();
  for (const realm of faultRealms) await untilCurrent(realm, "STATUS_CRITICAL");
  assert.deepEqual(await watch.stop(), [], "dub was current all the time");
  await until("ams takes commands", async () => (await addComment(centre, "ams", "after")).ok, patient);
  await until("the command is executed", async () => (await commentsOf(ams)).includes("after"));
  assert.deepEqual([await commentsOf(ams), await commentsOf(fra)], [["after"], []]);

  // The aggregator is cut off from NATS, and not from the URL of fra.
  network.cut("centre", "nats");
  network.cut("nats", "centre");
  await setH1(fra, "STATUS_OK");
  await until(
    "no realm is current",
    async () => Object.values(await stateOf(centre)).every(({ freshness }) => freshness !== "REALM_FRESHNESS_CURRENT"),
    patient,
  );
  const rows = Object.values(await statusRows(centre.base)) as { readonly stale?: boolean }[];
  assert.deepEqual([rows.length, rows.every(({ stale }) => stale)], [6, true], "all rows are last known ones");
  await until("/readyz names NATS", async () => (await natsLineOf(centre))?.ok === false, patient);
  assert.equal((await fetch(`${centre.base}/readyz`)).status, 503);
  await until("a realm with a url takes commands", async () => (await addComment(centre, "fra", "by url")).ok, patient);
  network.heal();
  await untilCurrent("fra", "STATUS_OK");
  for (const realm of ["ams", "dub"] as const) await untilCurrent(realm, "STATUS_CRITICAL");
  assert.deepEqual(await commentsOf(fra), ["by url"]);
}

/** Notes each answer in which a realm is not current. */
function watchRealm(centre: TestProgram, realm: FaultRealm) {
  const seen: string[] = [];
  let stopped = false;
  const running = (async () => {
    while (!stopped) {
      const { freshness } = (await stateOf(centre))[realm];
      if (freshness !== "REALM_FRESHNESS_CURRENT") seen.push(freshness);
      await new Promise((resolve) => setTimeout(resolve, 250));
    }
  })();
  return {
    async stop(): Promise<readonly string[]> {
      stopped = true;
      await running;
      return seen;
    },
  };
}

const scope = openScope();
try {
  await run(scope);
} catch (error) {
  console.error(error);
  process.exitCode = 1;
} finally {
  await scope[Symbol.asyncDispose]();
}
