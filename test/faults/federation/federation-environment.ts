import { cpSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { formatNatsConfiguration } from "@realmwatch/aggregator/realms/nats-formats";
import { passwordVariables } from "@realmwatch/aggregator/realms/nats-password-variables";
import type { SpawnedServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { connect, type NatsConnection } from "nats";
import { type FaultProxy, openFaultProxy } from "../../run/fault-proxy.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import {
  copyStopped,
  startNats,
  startRedis,
  startTestAgent,
  startTestAggregator,
  type TestFlags,
  type TestProgram,
  tempFolder,
} from "../../run/processes.ts";
import { type FaultRealm, faultRealms } from "../fault-realms.ts";

export const objectsPerRealm = 40;

/** Agent under test, with its links. */
export type SoakAgent = {
  readonly realm: FaultRealm;
  readonly program: TestProgram;
  /** Link to NATS. */
  readonly nats: FaultProxy;
  /** Link over which aggregators send commands; undefined for a realm without a URL. */
  readonly url: FaultProxy | undefined;
  /** Sets its wall clock, as an offset such as `-1h`; ignored where libfaketime is not installed. */
  setClock(offset: string): void;
  /** Starts another agent on a copy of its data directory, as of now. */
  startCopy(): Promise<TestProgram>;
};

export type SoakAggregator = {
  readonly name: string;
  readonly program: TestProgram;
  readonly nats: FaultProxy;
  /** Link to Redis; undefined for the aggregator without it. */
  readonly redis: FaultProxy | undefined;
  /** Sets its wall clock, as that of an agent. */
  setClock(offset: string): void;
};

/** Three realms and three aggregators, two of them with one Redis, each link through a proxy. */
export type FederationEnvironment = {
  readonly agents: readonly SoakAgent[];
  readonly aggregators: readonly SoakAggregator[];
  readonly nats: SoakNats;
  readonly redis: SpawnedServer;
  /** Starts an aggregator of another centre, with the same realms and a NATS of its own, on the same Redis. */
  startStranger(): Promise<TestProgram>;
  /** Removes the faults of all links. */
  healLinks(): void;
};

export type SoakNats = {
  readonly server: SpawnedServer;
  /** URLs with logins, not through a proxy. */
  readonly centreUrl: string;
  realmUrl(realm: FaultRealm): string;
  /** Opens a connection with all permissions, not through a proxy; waits while the server is restarted. */
  connect(): Promise<NatsConnection>;
  /** Permits a realm to publish rows, or forbids it. Restarts the server: it refuses a reload with streams in a flag. */
  permitRows(realm: FaultRealm, permitted: boolean): Promise<void>;
  /** Sets `max_payload`, bytes; undefined: the default of NATS. Restarts the server. */
  limitPayload(bytes: number | undefined): Promise<void>;
  /** Copies the files of the streams, as they are now on the disk. */
  saveStreams(): void;
  /** Replaces the files of the streams by the copy; the server must be stopped. False without a copy. */
  restoreStreams(): boolean;
};

/** Debian's libfaketime, which changes the wall clock of one process and not its monotonic clock. */
export const clockLibrary = "/usr/lib/x86_64-linux-gnu/faketime/libfaketime.so.1";
/** Environment of a program whose wall clock is offset by the content of a file, such as `-1h`. */
export const clockEnvironment = (file: string): Readonly<Record<string, string>> => ({
  LD_PRELOAD: clockLibrary,
  FAKETIME_TIMESTAMP_FILE: file,
  FAKETIME_CACHE_DURATION: "1",
  FAKETIME_DONT_FAKE_MONOTONIC: "1",
});

/** `unreachable_after` of the realms, ms. */
const unreachableAfterMs = 8_000;

/** Documents in which the labels of the first host have about 6 KB: its row does not fit a message of 4 KB, and cannot be cut. */
const documentOf = (hosts: number): string => `
${numberedHosts(hosts, () => 'address: "127.0.0.1", check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}')}
hosts: h0: labels: {${Array.from({ length: 60 }, (_, at) => `l${at}: "${"x".repeat(100)}"`).join(", ")}}
`;

const throughLink = (url: string, { port }: SpawnedServer, link: FaultProxy): string =>
  url.replace(`:${port}`, `:${link.port}`);

export async function startFederation(scope: TestScope): Promise<FederationEnvironment> {
  const folder = tempFolder(scope, "federation");
  const nats = await startSoakNats(scope, folder);
  const redis = await startRedis(scope);
  let strangerNats: Promise<SpawnedServer> | undefined;
  const agents = await Promise.all(
    faultRealms.map(async (realm): Promise<SoakAgent> => {
      const link = await openFaultProxy(scope, nats.server.port);
      const clock = join(folder, `${realm}.clock`);
      writeFileSync(clock, "+0\n");
      const start = (more: TestFlags = {}): Promise<TestProgram> =>
        startTestAgent(scope, {
          config: documentOf(objectsPerRealm),
          realm,
          flags: {
            "nats-url": throughLink(nats.realmUrl(realm), nats.server, link),
            "log-level": "warn",
            ...more,
          },
          env: existsSync(clockLibrary) ? clockEnvironment(clock) : {},
        });
      const program = await start();
      return {
        realm,
        program,
        nats: link,
        url: realm === faultRealms[0] ? await openFaultProxy(scope, program.port) : undefined,
        setClock: (offset) => writeFileSync(clock, `${offset}\n`),
        startCopy() {
          const copy = mkdtempSync(join(folder, "data-"));
          copyStopped(program.pid, program.dataDir, copy);
          return start({ "data-dir": copy });
        },
      };
    }),
  );
  const entries = agents.map(
    ({ realm, url }) =>
      `\t${realm}: {${url === undefined ? "" : `url: "${url.base}", `}unreachable_after: "${unreachableAfterMs}ms"}`,
  );
  const document = `realms: {\n${entries.join("\n")}\n}\n`;
  const aggregators = await Promise.all(
    ["one", "two", "alone"].map(async (name): Promise<SoakAggregator> => {
      const link = await openFaultProxy(scope, nats.server.port);
      const store = name === "alone" ? undefined : await openFaultProxy(scope, redis.port);
      const clock = join(folder, `aggregator-${name}.clock`);
      writeFileSync(clock, "+0\n");
      const program = await startTestAggregator(scope, {
        realms: document,
        flags: {
          "nats-url": throughLink(nats.centreUrl, nats.server, link),
          "log-level": "warn",
          ...(store === undefined ? {} : { "redis-url": `redis://127.0.0.1:${store.port}` }),
        },
        env: existsSync(clockLibrary) ? clockEnvironment(clock) : {},
      });
      const setClock = (offset: string): void => writeFileSync(clock, `${offset}\n`);
      return { name, program, nats: link, redis: store, setClock };
    }),
  );
  const links = [
    ...agents.flatMap(({ nats: link, url }) => [link, url]),
    ...aggregators.flatMap(({ nats: link, redis: store }) => [link, store]),
  ];
  return {
    agents,
    aggregators,
    nats,
    redis,
    async startStranger() {
      strangerNats ??= startNats(scope);
      const { url } = await strangerNats;
      return startTestAggregator(scope, { realms: document, flags: { "nats-url": url, "redis-url": redis.url } });
    },
    healLinks() {
      for (const link of links) link?.setLink({});
    },
  };
}

const passwordOf = (variable: string): string => `p${variable.replaceAll("_", "").toLowerCase()}`;

/** Starts a nats-server with the printed configuration, whose permissions and files can be changed. */
export async function startSoakNats(scope: TestScope, folder: string): Promise<SoakNats> {
  const passwords = passwordVariables([...faultRealms], []);
  for (const name of passwords.all) process.env[name] = passwordOf(name);
  const file = join(folder, "nats.conf");
  const files = join(folder, "streams");
  const forbidden = new Set<FaultRealm>();
  let maxPayload: number | undefined;
  const write = (): void => {
    const permitted = formatNatsConfiguration({ realms: [...faultRealms], zones: [], accountPerRealm: false });
    const limit = maxPayload === undefined ? "" : `max_payload: ${maxPayload}\n`;
    writeFileSync(file, limit + [...forbidden].reduce(withoutRows, permitted));
  };
  write();
  const server = await startNats(scope, ["-sd", files, "-c", file]);
  const urlOf = (user: string, variable: string): string =>
    server.url.replace("//", `//${user}:${passwordOf(variable)}@`);
  const copies: string[] = [];
  return {
    server,
    centreUrl: urlOf("centre", passwords.centre),
    realmUrl: (realm) => urlOf(`realm-${realm}`, passwords.ofRealm(realm)),
    connect: () =>
      connect({
        servers: server.url,
        user: "centre",
        pass: passwordOf(passwords.centre),
        waitOnFirstConnect: true,
        maxReconnectAttempts: -1,
      }),
    async permitRows(realm, isPermitted) {
      if (isPermitted) forbidden.delete(realm);
      else forbidden.add(realm);
      write();
      await server.restart();
    },
    async limitPayload(bytes) {
      maxPayload = bytes;
      write();
      await server.restart();
    },
    saveStreams() {
      const copy = mkdtempSync(join(folder, "copy-"));
      copyStopped(server.pid, files, copy);
      const [older] = copies.splice(0, 1, copy);
      if (older !== undefined) rmSync(older, { recursive: true, force: true });
    },
    restoreStreams() {
      const [copy] = copies;
      if (copy === undefined) return false;
      rmSync(files, { recursive: true, force: true });
      cpSync(copy, files, { recursive: true });
      return true;
    },
  };
}

/** Configuration in which a realm may publish everything but rows. */
function withoutRows(text: string, realm: FaultRealm): string {
  const rows = `"svc.v1.state.${realm}", "svc.v1.state.${realm}.>", `;
  if (!text.includes(rows)) throw new Error(`no permissions of ${realm} in the NATS configuration`);
  return text.replace(rows, "");
}
