import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createStreams } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import type { SpawnedServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { leaseStream } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type NatsConnection } from "nats";
import { startWebhookReceiver, type WebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { type FaultProxy, openFaultProxy } from "../../run/fault-proxy.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import {
  type AgentStartOptions,
  startNats,
  startTestAgent,
  type TestFlags,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";

export const pairLeaseMs = 3_000;
const marginMs = 1_000;
/** Time from the death of an active member to the first delivery of the other one, as the project promises it, ms. */
export const takeoverLimitMs = pairLeaseMs + marginMs + 5_000;
/** Limit of a wait, ms: it makes a hang a failure, on a machine with other tests. */
export const patienceMs = 60_000;
/** Names of the hosts whose status the clients change; each has one contact of the two. */
export const pairHosts = Array.from({ length: 24 }, (_, at) => `h${at}`);

/** Fields of `PairService/Get` that tests use. */
export type PairJson = {
  readonly self: string;
  readonly role: string;
  readonly active?: string;
  readonly inSync?: boolean;
  readonly degraded?: boolean;
  /** A number of 64 bits: a text in JSON. */
  readonly term?: string;
  readonly reason?: string;
  readonly lastTakeover?: { readonly reason: string; readonly to: string; readonly term: string };
};

/** Member of a pair under test, with its links. */
export type PairTestMember = {
  readonly name: string;
  readonly program: TestProgram;
  /** Its own link to NATS. */
  readonly nats: FaultProxy;
  /** Link over which the other member calls it. */
  readonly inward: FaultProxy;
  /** Stops the process where it is. */
  freeze(): void;
  thaw(): void;
  readonly isFrozen: boolean;
  /** Times at which it went on, on the clock of `performance.now()`. */
  readonly thawedAtMs: readonly number[];
};

export type PairEnvironment = {
  readonly members: readonly [PairTestMember, PairTestMember];
  readonly receiver: WebhookReceiver;
  readonly nats: SpawnedServer;
  /** Opens a connection that is not through a proxy. */
  connect(): Promise<NatsConnection>;
  /** Purges the stream of leases. */
  purgeLease(): Promise<void>;
  /** Deletes the stream of leases and creates another one. */
  remakeLease(): Promise<void>;
  /** Starts one more member. */
  startStranger(scope: TestScope, flags: TestFlags): Promise<TestProgram>;
  healLinks(): void;
};

const hostsWithContacts = (url: string): string => {
  const contacts = ["ann", "bob"].map((name) => `${name}: {type: "webhook", url: "${url}/${name}"}`);
  const policies = ["ann", "bob"].map(
    (name) => `to-${name}: levels: [{contacts: ["${name}"], renotify_interval: "0s"}]`,
  );
  const check = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;
  return `
contacts: {${contacts.join(", ")}}
notifications: {${policies.map((text) => text.replace(/^(\S+):/, '"$1":')).join(", ")}}
${numberedHosts(pairHosts.length, (at) => `address: "a", notification: "to-${at % 2 === 0 ? "ann" : "bob"}", ${check}`)}
`;
};

type PairOptions = {
  /** Without proxies in the links, which would take processor time: none can be cut then. */
  readonly isDirect?: boolean;
  /** Document with the contacts of a receiver. Default: one with `pairHosts`. */
  readonly documentOf?: (receiverUrl: string) => string;
  /** Flags and variables of the first and of the second member, beside those of each pair. */
  readonly flags?: readonly [TestFlags, TestFlags];
  readonly env?: readonly [AgentStartOptions["env"], AgentStartOptions["env"]];
};

/** Starts two members with all links through proxies. Waits until one is active and the other in sync. */
export async function startPair(
  scope: TestScope,
  { documentOf = hostsWithContacts, flags: more = [{}, {}], env = [{}, {}], isDirect = false }: PairOptions = {},
): Promise<PairEnvironment> {
  const [nats, receiver, ports] = await Promise.all([
    startNats(scope),
    startWebhookReceiver(scope),
    Promise.all([freePort(), freePort()]),
  ]);
  const connectToNats = (): Promise<NatsConnection> =>
    connect({ servers: nats.url, waitOnFirstConnect: true, maxReconnectAttempts: -1, reconnectTimeWait: 100 });
  const withNats = async <T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> => {
    const connection = await connectToNats();
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  await withNats(createStreams);
  const secret = join(tempFolder(scope), "secret");
  writeFileSync(secret, "s".repeat(40));
  const config = documentOf(receiver.url);
  const start = (
    name: string,
    { peer, natsUrl, ...options }: { peer: string; natsUrl: string; flags: TestFlags; env?: AgentStartOptions["env"] },
    owner = scope,
  ) =>
    startTestAgent(owner, {
      config,
      env: options.env ?? {},
      flags: {
        realm: "fra",
        ...{ pair: name, "pair-peer": peer, "pair-secret-file": secret, "pair-lease": `${pairLeaseMs}ms` },
        ...{ "nats-url": natsUrl, "public-url": `http://${name}.test`, ...options.flags },
      },
    });
  const inward = await Promise.all(ports.map((port) => openFaultProxy(scope, port)));
  const openMember = async (name: string, at: 0 | 1): Promise<PairTestMember> => {
    const link = await openFaultProxy(scope, nats.port);
    const [own, peer] = [inward[at], inward[1 - at]];
    if (own === undefined || peer === undefined) throw new Error("a pair has two members");
    const program = await start(name, {
      peer: isDirect ? `http://127.0.0.1:${ports[1 - at]}` : peer.base,
      natsUrl: isDirect ? nats.url : `nats://127.0.0.1:${link.port}`,
      ...{ env: env[at], flags: { ...more[at], port: ports[at] } },
    });
    let isFrozen = false;
    const thawedAtMs: number[] = [];
    const thaw = (): void => {
      if (isFrozen) thawedAtMs.push(performance.now());
      isFrozen = false;
      program.signal("SIGCONT");
    };
    atEnd(scope, thaw);
    return {
      ...{ name, program, nats: link, inward: own, thawedAtMs, thaw },
      freeze() {
        isFrozen = true;
        program.signal("SIGSTOP");
      },
      get isFrozen() {
        return isFrozen;
      },
    };
  };
  const members = await Promise.all([openMember("fra-a", 0), openMember("fra-b", 1)]);
  const environment: PairEnvironment = {
    ...{ members, receiver, nats, connect: connectToNats },
    purgeLease: () =>
      withNats(
        async (connection) => void (await (await connection.jetstreamManager()).streams.purge(leaseStream.name)),
      ),
    remakeLease: () =>
      withNats(async (connection) => {
        await (await connection.jetstreamManager()).streams.delete(leaseStream.name);
        await createStreams(connection);
      }),
    startStranger(owner, flags) {
      const [peer] = inward;
      if (peer === undefined) throw new Error("a pair has two members");
      return start("fra-c", { peer: peer.base, natsUrl: nats.url, flags }, owner);
    },
    healLinks() {
      for (const { nats: link, inward: own } of members) {
        link.setLink({});
        own.setLink({});
      }
    },
  };
  await healthy(environment);
  return environment;
}

/** Reads the pair of a member. Throws when it does not answer. */
export async function pairAt({ base }: Pick<TestProgram, "base">): Promise<PairJson> {
  const response = await fetch(`${base}/svc.v1.PairService/Get`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: "{}",
    signal: AbortSignal.timeout(1_000),
  });
  return ((await response.json()) as { readonly pair: PairJson }).pair;
}

/** Waits until one member is active and the other its standby, in sync in the eyes of both. */
export function healthy({ members }: PairEnvironment): Promise<{ active: PairTestMember; standby: PairTestMember }> {
  let last: unknown;
  return until(
    "one member is active, the other a standby in sync",
    async () => {
      const [a, b] = await Promise.all(members.map(({ program }) => pairAt(program)));
      last = [a, b];
      if (!a?.inSync || !b?.inSync || a.term !== b.term) return false;
      if (a.role === active && b.role === standby) return { active: members[0], standby: members[1] };
      return b.role === active && a.role === standby && { active: members[1], standby: members[0] };
    },
    { withinMs: patienceMs, everyMs: 50, seen: () => last },
  );
}

const active = "PAIR_ROLE_ACTIVE";
const standby = "PAIR_ROLE_STANDBY";

/** Waits until a member's answer fulfils a condition. */
export function untilPair(
  label: string,
  { name, program }: PairTestMember,
  condition: (pair: PairJson) => boolean,
): Promise<PairJson> {
  let last: PairJson | undefined;
  return until(
    `${name}: ${label}`,
    async () => {
      last = await pairAt(program);
      return condition(last) && last;
    },
    { withinMs: patienceMs, everyMs: 30, seen: () => last },
  );
}

export const isActive = ({ role }: PairJson): boolean => role === active;
export const isStandby = ({ role }: PairJson): boolean => role === standby;

/** Cuts both links between the members, or one of the four directions. */
export function cutLink({ members }: PairEnvironment, cut: "both" | "toServer" | "toClient" = "both"): void {
  for (const { inward } of members) inward.setLink({ cut });
}

/** Cuts NATS for both members. */
export function cutNats({ members }: PairEnvironment): void {
  for (const { nats } of members) nats.setLink({ cut: "both" });
}

/** Kills a member, deletes its data and starts it again. */
export async function wipe(member: PairTestMember): Promise<void> {
  await killAndDelete(member);
  await member.program.restart();
}

export async function killAndDelete({ program }: PairTestMember): Promise<void> {
  await program.stop("SIGKILL");
  rmSync(program.dataDir, { recursive: true, force: true });
}

/** Hands the realm over by a call to a member. */
export async function switchPair({ program }: PairTestMember): Promise<void> {
  const answer = await call(program.base, "PairService/Switch");
  if (!answer.ok) throw new Error(`switch: ${answer.code} ${answer.message}`);
}
