import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { HeartbeatSchema, RealmEpochSchema, RealmEventSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { cleanUpAtExit } from "@realmwatch/shared/platform/process/exit-cleanups";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { builtProgram } from "@realmwatch/shared/platform/testing/built-program.fixture";
import { freePort } from "@realmwatch/shared/platform/testing/free-port.fixture";
import {
  type SpawnedServer,
  startNatsServer,
  startRedisServer,
} from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { rowChangeToProto, stateRowToProto } from "@realmwatch/shared/row/state-row";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";

/** Opens NATS, Redis, a realm's API that records its calls, and aggregators on them; all are closed by `after`. */
export async function openAggregatorEnvironment(after: (end: () => Promise<void>) => void) {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-aggregator-"));
  const calls: { authorization: string | null; author: string; comment: string }[] = [];
  const [nats, redis] = await Promise.all([startNatsServer(), startRedisServer()]);
  const bus = openNatsBus({
    url: nats.url,
    credsFile: "",
    name: "test",
    clock: systemClock,
    log: { info() {}, warn() {} },
  });
  const api = createServer(
    connectNodeAdapter({
      routes: (router) =>
        router.service(CommandService, {
          acknowledgeProblem({ author, comment }, { requestHeader }) {
            calls.push({ authorization: requestHeader.get("authorization"), author, comment });
            return {};
          },
          addComment: () => ({ commentId: "c1" }),
          scheduleDowntime: () => {
            throw new ConnectError("start: is unset", Code.InvalidArgument);
          },
        }),
    }),
  );
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  after(async () => {
    api.closeAllConnections();
    api.close();
    await bus.close();
    await Promise.all([nats[Symbol.asyncDispose](), redis[Symbol.asyncDispose]()]);
    rmSync(folder, { recursive: true });
  });

  return {
    nats,
    redis,
    calls,
    /** URL of the realm's API. */
    url: `http://127.0.0.1:${(api.address() as AddressInfo).port}`,
    document(name: string, text: string): string {
      const path = join(folder, name);
      writeFileSync(path, text);
      return path;
    },
    openRealm: (name: string, epoch = 1_000) => openRealm(bus, name, epoch),
    start: (realms: string, flags: readonly string[], environment: Record<string, string> = {}) =>
      start({ nats, folder, realms, flags, environment }),
  };
}

/** Publishes messages of a realm as an agent does. */
function openRealm(bus: NatsBus, name: string, epoch: number) {
  let revision = 0;
  let stopHeartbeats = (): void => undefined;
  const publish = async (subject: string, data: Uint8Array): Promise<void> => {
    await until(`${subject} is published`, () => bus.live()?.jetstream().publish(subject, data), longWait);
  };
  const published = () => ({ realm: name, atMs: systemClock.now() });
  const beat = () =>
    bus.publish(
      subjects.heartbeatSubject(name),
      toBinary(
        HeartbeatSchema,
        create(HeartbeatSchema, { realm: name, instance: `${name}-${epoch}`, epoch: BigInt(epoch) }),
      ),
    );
  return {
    async put(...refs: string[]) {
      for (const ref of refs) {
        const row = rowFor(name, ref, { epoch, revision: ++revision });
        await publish(
          subjects.stateSubject(name, keyOf(ref)),
          toBinary(StateRowSchema, stateRowToProto(row, published())),
        );
      }
    },
    async drop(ref: string) {
      const change = { kind: "drop", realm: name, key: keyOf(ref), epoch, revision: ++revision } as const;
      await publish(
        subjects.stateSubject(name, keyOf(ref)),
        toBinary(StateRowSchema, rowChangeToProto(change, published())),
      );
    },
    complete: () =>
      publish(
        subjects.epochSubject(name),
        toBinary(RealmEpochSchema, create(RealmEpochSchema, { realm: name, epoch: BigInt(epoch), complete: true })),
      ),
    publishEvent: (seq: number) =>
      publish(
        subjects.eventSubject(name),
        toBinary(
          RealmEventSchema,
          realmEventToProto({ realm: name, seq, atMs: systemClock.now(), type: "config" }, name),
        ),
      ),
    live(): void {
      beat();
      stopHeartbeats = systemClock.after(300, () => this.live());
    },
    die: () => stopHeartbeats(),
  };
}

export type AggregatorProcess = {
  readonly base: string;
  readonly child: ChildProcess;
  readonly said: () => string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Starts the program as a user does, and waits until its port is open. */
async function start({
  nats,
  folder,
  realms,
  flags,
  environment,
}: {
  nats: SpawnedServer;
  folder: string;
  realms: string;
  flags: readonly string[];
  environment: Record<string, string>;
}): Promise<AggregatorProcess> {
  const port = await freePort();
  const dataDir = mkdtempSync(join(folder, "data"));
  const given = [
    "-realms-config",
    realms,
    "-data-dir",
    dataDir,
    "-nats-url",
    nats.url,
    "-listen",
    `127.0.0.1:${port}`,
    ...flags,
  ];
  const [node = "", ...args] = builtProgram("aggregator");
  const child = spawn(node, [...args, ...given], {
    env: { ...process.env, ...environment },
    stdio: ["ignore", "ignore", "pipe"],
  });
  child.once(
    "exit",
    cleanUpAtExit(() => void child.kill("SIGKILL")),
  );
  let said = "";
  child.stderr?.on("data", (data) => {
    said += data;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const base = `http://127.0.0.1:${port}`;
  const hasExited = () => child.exitCode !== null || child.signalCode !== null;
  const isServing = async () => (await fetch(`${base}/healthz`)).ok;
  await until("the aggregator serves", isServing, { ...longWait, stopWhen: hasExited, seen: () => said });
  return {
    base,
    child,
    said: () => said,
    async stop(signal = "SIGTERM") {
      child.kill(signal);
      return ended;
    },
  };
}

type Answer = {
  http: number;
  code?: string;
  message?: string;
  rows?: { realm: string; object: unknown }[];
  realms?: { name: string; reachable: boolean; lastSeen?: string }[];
  records?: unknown[];
  commentId?: string;
};

export async function callAggregator(
  { base }: Pick<AggregatorProcess, "base">,
  rpc: string,
  body: object = {},
  token?: string,
): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`${base}/svc.v1.${rpc}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { http: response.status, ...(response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {}) };
}
export const listStatus = (on: AggregatorProcess, token?: string) =>
  callAggregator(on, "QueryService/ListStatus", {}, token);
const countRows = async (on: AggregatorProcess, token?: string) => (await listStatus(on, token)).rows?.length ?? 0;
/** Realm as an aggregator reports it; undefined when it is not listed. */
export const realmAt = async (on: AggregatorProcess, name: string) =>
  (await listStatus(on)).realms?.find((realm) => realm.name === name);
/** Waits until each aggregator returns `rows` rows. */
export async function untilRows(rows: number, ...aggregators: readonly AggregatorProcess[]): Promise<void> {
  for (const aggregator of aggregators)
    await until(`${aggregator.base} has ${rows} rows`, async () => (await countRows(aggregator)) === rows, longWait);
}
/** Bound for recoveries that include reconnects and rebuilds. */
export const longWait = { withinMs: 60_000 } as const;
export const web1Target = { object: { host: { name: "web1" } } };
