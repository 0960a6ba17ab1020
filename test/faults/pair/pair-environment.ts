import { cpSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { decodeLease } from "@realmwatch/agent/pair/lease/lease-message";
import { createStreams } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import type { SpawnedServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { leaseStream, leaseSubject } from "@realmwatch/shared/wire/nats/nats-subjects";
import { connect, type NatsConnection } from "nats";
import { startWebhookReceiver, type WebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { openFaultProxy } from "../../run/fault-proxy.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import {
  type AgentStartOptions,
  startNats,
  startTestAgent,
  type TestFlags,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { isActive, isStandby, type PairTestMember, pairAt, patienceMs } from "./pair-member.ts";

export const pairLeaseMs = 3_000;
const marginMs = 1_000;
/** Time from the death of an active member to the first delivery of the other one, as the project promises it, ms. */
export const takeoverLimitMs = pairLeaseMs + marginMs + 5_000;
/** Names of the hosts whose status the clients change; each has one contact of the two. */
export const pairHosts = Array.from({ length: 24 }, (_, at) => `h${at}`);

export type PairEnvironment = {
  readonly members: readonly [PairTestMember, PairTestMember];
  readonly receiver: WebhookReceiver;
  /** Server of NATS, or one of its cluster. */
  readonly nats: SpawnedServer;
  /** Opens a connection that is not through a proxy. */
  connect(): Promise<NatsConnection>;
  /** Purges the stream of leases. */
  purgeLease(): Promise<void>;
  deleteStream(name: string): Promise<void>;
  /** Creates the streams that are missing. */
  createStreams(): Promise<void>;
  /** Deletes the stream of leases and creates another one. */
  remakeLease(): Promise<void>;
  /** Waits until the stream of leases has the lease of the active member. */
  leaseIsCurrent(): Promise<void>;
  /** Copies what NATS has stored, which it then goes on from. */
  backUpNats(): Promise<void>;
  /** Gives NATS what it had stored at the last backup. `meanwhile` is done while it is away. */
  restoreNats(meanwhile?: () => Promise<void>): Promise<void>;
  /** Starts one more member. */
  startStranger(scope: TestScope, flags: TestFlags): Promise<TestProgram>;
  healLinks(): void;
};

/** Document of `pairHosts` whose contacts ann and bob are those of `contactOf`. */
export const hostsWithContacts = (contactOf: (name: string) => string): string => {
  const contacts = ["ann", "bob"].map((name) => `${name}: ${contactOf(name)}`);
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
  /** Default: one that is started for the pair. */
  readonly nats?: SpawnedServer;
  /** URLs of the cluster that `nats` belongs to, to which the members connect without proxies. */
  readonly clusterUrl?: string;
  /** Built checkout whose program runs both members at first. */
  readonly checkout?: string;
};

/** Starts two members with all links through proxies. Waits until one is active and the other in sync. */
export async function startPair(
  scope: TestScope,
  {
    documentOf = (url) => hostsWithContacts((name) => `{type: "webhook", url: "${url}/${name}"}`),
    flags: more = [{}, {}],
    env = [{}, {}],
    isDirect = false,
    ...options
  }: PairOptions = {},
): Promise<PairEnvironment> {
  const [store, copy] = [tempFolder(scope, "nats-store"), join(tempFolder(scope, "nats-copy"), "store")];
  const [nats, receiver, ports] = await Promise.all([
    options.nats ?? startNats(scope, ["-sd", store]),
    startWebhookReceiver(scope),
    Promise.all([freePort(), freePort()]),
  ]);
  const connectToNats = (): Promise<NatsConnection> =>
    connect({
      servers: (options.clusterUrl ?? nats.url).split(","),
      waitOnFirstConnect: true,
      maxReconnectAttempts: -1,
      reconnectTimeWait: 100,
    });
  const withNats = async <T>(use: (connection: NatsConnection) => Promise<T>): Promise<T> => {
    const connection = await connectToNats();
    try {
      return await use(connection);
    } finally {
      await connection.close();
    }
  };
  // nats-server 2.9 ends by itself when a message is read, as members do, of a stream that is being deleted or created.
  const changeStreams = async (change: (connection: NatsConnection) => Promise<unknown>): Promise<void> => {
    const isChanged = async (): Promise<boolean> => {
      if (nats.hasEnded) await nats.restart();
      await withNats(change);
      return true;
    };
    await until("the streams are changed", isChanged, { withinMs: patienceMs });
  };
  await withNats(createStreams);
  const secret = join(tempFolder(scope), "secret");
  writeFileSync(secret, "s".repeat(40));
  const documents = tempFolder(scope, "documents");
  const documentPath = (name: string): string => join(documents, `${name}.cue`);
  const start = (name: string, { flags, ...given }: Omit<AgentStartOptions, "config">, owner = scope) =>
    startTestAgent(owner, {
      ...{ ...given, config: documentPath(name) },
      flags: {
        ...{ realm: "fra", pair: name, "pair-secret-file": secret, "pair-lease": `${pairLeaseMs}ms` },
        ...{ "public-url": `http://${name}.test`, ...flags },
      },
    });
  for (const name of ["fra-a", "fra-b", "fra-c"]) writeFileSync(documentPath(name), documentOf(receiver.url));
  const inward = await Promise.all(ports.map((port) => openFaultProxy(scope, port)));
  const openMember = async (name: string, at: 0 | 1): Promise<PairTestMember> => {
    const link = await openFaultProxy(scope, nats.port);
    const [own, peer] = [inward[at], inward[1 - at]];
    if (own === undefined || peer === undefined) throw new Error("a pair has two members");
    const startFrom = (checkout: string | undefined, placed: TestFlags) =>
      start(name, {
        ...{ checkout, env: env[at] ?? {} },
        flags: {
          "pair-peer": isDirect ? `http://127.0.0.1:${ports[1 - at]}` : peer.base,
          "nats-url": options.clusterUrl ?? (isDirect ? nats.url : `nats://127.0.0.1:${link.port}`),
          ...{ ...more[at], port: ports[at], ...placed },
        },
      });
    let program = await startFrom(options.checkout, {});
    let isFrozen = false;
    const thawedAtMs: number[] = [];
    const thaw = (): void => {
      if (isFrozen) thawedAtMs.push(performance.now());
      isFrozen = false;
      program.signal("SIGCONT");
    };
    atEnd(scope, thaw);
    return {
      ...{ name, nats: link, inward: own, thawedAtMs, thaw, document: documentPath(name) },
      get program() {
        return program;
      },
      async replace(checkout) {
        const code = await program.stop();
        if (code !== 0) throw new Error(`${name} ended with ${code}: ${program.output().slice(-2_000)}`);
        program = await startFrom(checkout, { "data-dir": program.dataDir });
      },
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
    deleteStream: (name) =>
      changeStreams(async (connection) => {
        const { streams } = await connection.jetstreamManager();
        await streams.delete(name).catch((error: Error) => {
          if (!/stream not found/.test(error.message)) throw error;
        });
      }),
    createStreams: () => changeStreams(createStreams),
    async remakeLease() {
      await environment.deleteStream(leaseStream.name);
      await environment.createStreams();
    },
    leaseIsCurrent: () =>
      withNats(async (connection) => {
        const jsm = await connection.jetstreamManager();
        await until("the lease is that of the active member", async () => {
          const { data } = await jsm.streams.getMessage(leaseStream.name, { last_by_subj: leaseSubject("fra") });
          const [lease, pairs] = [decodeLease(data), await Promise.all(members.map(({ program }) => pairAt(program)))];
          return pairs.some((pair) => lease.ok && isActive(pair) && Number(pair.term) === lease.value.term);
        });
      }),
    async backUpNats() {
      await nats.stop();
      rmSync(copy, { recursive: true, force: true });
      cpSync(store, copy, { recursive: true });
      await nats.restart();
    },
    async restoreNats(meanwhile = async () => {}) {
      await nats.stop();
      await meanwhile();
      rmSync(store, { recursive: true });
      cpSync(copy, store, { recursive: true });
      await nats.restart();
    },
    startStranger(owner, flags) {
      const [peer] = inward;
      if (peer === undefined) throw new Error("a pair has two members");
      return start("fra-c", { flags: { "pair-peer": peer.base, "nats-url": nats.url, ...flags } }, owner);
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

/** Waits until one member is active and the other its standby, in sync in the eyes of both. */
export function healthy({ members }: PairEnvironment): Promise<{ active: PairTestMember; standby: PairTestMember }> {
  let last: unknown;
  return until(
    "one member is active, the other a standby in sync",
    async () => {
      const [a, b] = await Promise.all(members.map(({ program }) => pairAt(program)));
      last = [a, b];
      if (!a?.inSync || !b?.inSync || a.term !== b.term) return false;
      if (isActive(a) && isStandby(b)) return { active: members[0], standby: members[1] };
      return isActive(b) && isStandby(a) && { active: members[1], standby: members[0] };
    },
    { withinMs: patienceMs, everyMs: 50, seen: () => last },
  );
}

/** Cuts both links between the members, or one of the four directions. */
export function cutLink({ members }: PairEnvironment, cut: "both" | "toServer" | "toClient" = "both"): void {
  for (const { inward } of members) inward.setLink({ cut });
}

/** Cuts NATS for both members. */
export function cutNats({ members }: PairEnvironment): void {
  for (const { nats } of members) nats.setLink({ cut: "both" });
}
