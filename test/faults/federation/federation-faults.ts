import { rmSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import type { SeededRandom } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { eventStream, heartbeatSubject, stateStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { NatsError } from "nats";
import type { LinkState } from "../../run/fault-proxy.ts";
import type { FaultRealm } from "../fault-realms.ts";
import type { CommandLedger } from "./command-ledger.ts";
import type { FederationEnvironment, SoakAgent, SoakAggregator } from "./federation-environment.ts";
import type { RowFlow } from "./row-flow.ts";
import { alterRow, flushStore, runStranger } from "./store-faults.ts";

/** Error code of JetStream's API for a consumer that does not exist. */
const consumerNotFound = 10_014;

type FaultContext = {
  readonly environment: FederationEnvironment;
  readonly ledger: CommandLedger;
  readonly flow: RowFlow;
  readonly random: SeededRandom;
};

/** Fault of one part: it happens, lasts and ends in `run`. */
export type FederationFault = {
  readonly name: string;
  /** Part that no other fault may use at the same time. */
  readonly target: string;
  readonly run: () => Promise<unknown>;
};

/** One fault of each kind, with random targets, durations and details. */
export function randomFaults({ environment, ledger, flow, random }: FaultContext): readonly FederationFault[] {
  const { agents, aggregators, nats, redis } = environment;
  const ms = (least: number, most: number): number => Math.round(least + random.upTo(most - least));
  const agent = random.oneOf(agents as [SoakAgent, ...SoakAgent[]]);
  const aggregator = random.oneOf(aggregators as [SoakAggregator, ...SoakAggregator[]]);
  const stored = random.oneOf(aggregators.filter((one) => one.redis !== undefined) as [SoakAggregator]);
  const cut: LinkState = { cut: random.oneOf(["both", "toServer", "toClient"]) };
  const slow: LinkState = { delayMs: ms(50, 400) };
  const clock = random.oneOf(["-1h", "-5m", "+5m", "+0"]);
  const signal = random.oneOf(["SIGKILL", "SIGTERM"]);
  const [pauseMs, downMs, linkMs] = [ms(1_000, 12_000), ms(0, 4_000), ms(2_000, 15_000)];
  const place = random.upTo(1);
  const during = async (forMs: number, begin: () => void, end: () => void): Promise<void> => {
    begin();
    await sleep(forMs);
    end();
  };
  const link = (proxy: { setLink(state: LinkState): void } | undefined, state: LinkState) => (): Promise<void> =>
    during(
      linkMs,
      () => proxy?.setLink(state),
      () => proxy?.setLink({}),
    );
  const paused = (pid: () => number) => (): Promise<void> =>
    during(
      pauseMs,
      () => stopProcess(pid()),
      () => process.kill(pid(), "SIGCONT"),
    );
  const killed =
    (server: { stop(signal: NodeJS.Signals): Promise<unknown>; restart(): Promise<void> }) =>
    async (): Promise<void> => {
      await server.stop(signal);
      await sleep(downMs);
      await server.restart();
    };
  const ofAgent = (name: string, run: () => Promise<void>) => ({
    name: `${agent.realm}: ${name}`,
    target: agent.realm,
    run,
  });
  const ofAggregator = (name: string, run: () => Promise<void>, { name: target } = aggregator) => ({
    name: `aggregator ${target}: ${name}`,
    target,
    run,
  });
  const ofNats = (name: string, run: () => Promise<void>) => ({ name: `NATS: ${name}`, target: "nats", run });
  const ofRedis = (name: string, run: () => Promise<unknown>) => ({ name: `Redis: ${name}`, target: "redis", run });
  return [
    ofAgent("is killed", killed(agent.program)),
    ofAgent(
      `pauses for ${pauseMs} ms`,
      paused(() => agent.program.pid),
    ),
    ofAgent(`link to NATS is cut (${cut.cut}) for ${linkMs} ms`, link(agent.nats, cut)),
    ofAgent(`link to NATS is slow (${slow.delayMs} ms) for ${linkMs} ms`, link(agent.nats, slow)),
    ofAgent("connection to NATS breaks", async () => agent.nats.breakAll()),
    ofNats(`${agent.realm} may not publish rows for ${linkMs} ms`, async () => {
      await nats.permitRows(agent.realm, false);
      await sleep(linkMs);
      await nats.permitRows(agent.realm, true);
    }),
    ofNats(`takes messages of at most 4 KB for ${linkMs} ms`, async () => {
      await nats.limitPayload(4_096);
      await sleep(linkMs);
      await nats.limitPayload(undefined);
    }),
    ofAgent(`a copy of its data is started for ${linkMs} ms`, () => runCopy(agent, { ledger, flow, forMs: linkMs })),
    ofAgent(`data are wiped, clock ${clock}`, () => wipe(agent, { ledger, flow, clock })),
    ofAgent("starts with its clock 30 days ahead, then with the right one", () => startAhead(agent, { ledger, flow })),
    ofAgent(`wall clock is set to ${clock}`, async () => agent.setClock(clock)),
    ofAggregator(`wall clock is set to ${clock}`, async () => aggregator.setClock(clock)),
    { name: `link to the URL is cut for ${linkMs} ms`, target: "fra", run: link(agents[0]?.url, cut) },
    {
      name: "calls to the URL are reset",
      target: "fra",
      run: async () => void agents[0]?.url?.fates.push("reset", "hang"),
    },
    ofAggregator("is killed", killed(aggregator.program)),
    ofAggregator(
      `pauses for ${pauseMs} ms`,
      paused(() => aggregator.program.pid),
    ),
    ofAggregator(`link to NATS is cut (${cut.cut}) for ${linkMs} ms`, link(aggregator.nats, cut)),
    ofAggregator(`link to NATS is slow (${slow.delayMs} ms) for ${linkMs} ms`, link(aggregator.nats, slow)),
    ofAggregator(`link to Redis is cut (${cut.cut}) for ${linkMs} ms`, link(stored.redis, cut), stored),
    ofAggregator(`link to Redis is slow (${slow.delayMs} ms) for ${linkMs} ms`, link(stored.redis, slow), stored),
    ofNats("is killed", killed(nats.server)),
    ofNats(
      `pauses for ${pauseMs} ms`,
      paused(() => nats.server.pid),
    ),
    ofNats("its files are copied", async () => nats.saveStreams()),
    ofNats("its streams are those of the copy", async () => {
      await nats.server.stop("SIGKILL");
      nats.restoreStreams();
      await nats.server.restart();
    }),
    ofNats("the state stream is purged", () => purge(environment, undefined)),
    ofNats(`the rows of ${agent.realm} are purged`, () => purge(environment, `svc.v1.state.${agent.realm}.>`)),
    ofNats("the consumers are deleted", () => deleteConsumers(environment)),
    ofAgent(`each heartbeat is repeated for ${linkMs} ms`, () => floodHeartbeats(environment, agent.realm, linkMs)),
    ofRedis("is killed, and empty afterwards", killed(redis)),
    ofRedis(
      `pauses for ${pauseMs} ms`,
      paused(() => redis.pid),
    ),
    ofRedis("is flushed", () => flushStore(environment)),
    ofRedis(`a row of ${agent.realm} is altered`, () => alterRow(environment, agent.realm, place)),
    ofRedis(`another centre uses it for ${linkMs} ms`, () => runStranger(environment, linkMs)),
  ];
}

/** Deletes the data of an agent, whose clock may be set back, as after the loss of its disk. */
const wipe = (
  { realm, program, setClock }: SoakAgent,
  { ledger, flow, clock }: Pick<FaultContext, "ledger" | "flow"> & { readonly clock: string },
): Promise<void> =>
  ledger.settle(realm, () =>
    flow.hold(realm, async () => {
      await program.stop("SIGKILL");
      rmSync(program.dataDir, { recursive: true, force: true });
      setClock(clock);
      await program.restart();
    }),
  );

/** Starts an agent with its clock far ahead, so that it stores an epoch that every receiver refuses, then with the right one. */
const startAhead = (
  { realm, program, setClock }: SoakAgent,
  { ledger, flow }: Pick<FaultContext, "ledger" | "flow">,
): Promise<void> =>
  ledger.settle(realm, () =>
    flow.hold(realm, async () => {
      for (const offset of ["+30d", "+0"]) {
        await program.stop("SIGKILL");
        setClock(offset);
        await program.restart();
      }
    }),
  );

/**
 * Runs a second agent on a copy of the data. Commands and results wait meanwhile: an aggregator that starts while both
 * live may follow the copy.
 */
const runCopy = (
  { realm, startCopy }: SoakAgent,
  { ledger, flow, forMs }: Pick<FaultContext, "ledger" | "flow"> & { readonly forMs: number },
): Promise<void> =>
  ledger.settle(realm, () =>
    flow.hold(realm, async () => {
      const copy = await startCopy();
      await sleep(forMs);
      await copy.stop("SIGKILL");
    }),
  );

async function purge({ nats }: FederationEnvironment, filter: string | undefined): Promise<void> {
  const connection = await nats.connect();
  const manager = await connection.jetstreamManager();
  await manager.streams.purge(stateStream.name, filter === undefined ? undefined : { filter });
  await connection.close();
}

/** Sends about 1 000 heartbeats a second: copies of the newest one of the realm. */
async function floodHeartbeats({ nats }: FederationEnvironment, realm: FaultRealm, forMs: number): Promise<void> {
  const connection = await nats.connect();
  let newest: Uint8Array | undefined;
  connection.subscribe(heartbeatSubject(realm), {
    callback(_error, message) {
      newest = message.data;
    },
  });
  const untilMs = performance.now() + forMs;
  while (performance.now() < untilMs && !connection.isClosed()) {
    for (let copies = 0; copies < 10 && newest !== undefined; copies++)
      connection.publish(heartbeatSubject(realm), newest);
    await sleep(10);
  }
  await connection.close();
}

/** Deletes all consumers. An aggregator may delete one of those listed meanwhile, when it has read what it asked for. */
async function deleteConsumers({ nats }: FederationEnvironment): Promise<void> {
  const connection = await nats.connect();
  const manager = await connection.jetstreamManager();
  for (const { name } of [stateStream, eventStream])
    for await (const consumer of manager.consumers.list(name))
      await manager.consumers.delete(name, consumer.name).catch((error: unknown) => {
        if (!(error instanceof NatsError && error.api_error?.err_code === consumerNotFound)) throw error;
      });
  await connection.close();
}

/** Last outputs of all programs, for the report of a failure. */
export const outputsOf = ({ agents, aggregators }: FederationEnvironment): string =>
  [
    ...agents.map(({ realm, program }) => `--- ${realm}\n${program.output().slice(-2_000)}`),
    ...aggregators.map(({ name, program }) => `--- aggregator ${name}\n${program.output().slice(-3_000)}`),
  ].join("\n");
