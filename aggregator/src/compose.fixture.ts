import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { HeartbeatSchema, RealmEpochSchema, RealmEventSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { sleep } from "@realmwatch/shared/model/clock";
import { keyOf } from "@realmwatch/shared/model/object-key";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { freePort, type SpawnedServer, startNatsServer, startRedisServer } from "@realmwatch/shared/platform/process/spawned-server";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { realmEventToProto } from "@realmwatch/shared/wire/history";
import * as subjects from "@realmwatch/shared/wire/nats/nats-subjects";
import { stateRowToProto, rowChangeToProto } from "@realmwatch/shared/wire/rows/state-row";

/** NATS, Redis, a realm's API that notes its calls, and aggregators on them: all of it ends with `after`. */
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
    /** Where the realm answers. */
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

/** The publishing side of an agent, by hand. */
function openRealm(bus: NatsBus, name: string, epoch: number) {
  let revision = 0;
  let stopBeating = (): void => undefined;
  const publish = async (subject: string, data: Uint8Array): Promise<void> => {
    for (;;) {
      const sent = await bus
        .live()
        ?.jetstream()
        .publish(subject, data)
        .then(
          () => true,
          () => false,
        );
      if (sent) return;
      await sleep(systemClock, 50);
    }
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
        await publish(subjects.stateSubject(name, keyOf(ref)), toBinary(StateRowSchema, stateRowToProto(row, published())));
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
    tell: (seq: number) =>
      publish(
        subjects.eventSubject(name),
        toBinary(RealmEventSchema, realmEventToProto({ realm: name, seq, atMs: systemClock.now(), type: "config" }, name)),
      ),
    live(): void {
      beat();
      stopBeating = systemClock.after(300, () => this.live());
    },
    die: () => stopBeating(),
  };
}

export type AggregatorProcess = {
  readonly base: string;
  readonly child: ChildProcess;
  readonly said: () => string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

export const aggregatorMain = fileURLToPath(new URL("./main.ts", import.meta.url));

/** Starts the program as its users do, and waits until its port is open. */
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
  const child = spawn(
    process.execPath,
    ["--conditions=source", "--disable-warning=ExperimentalWarning", aggregatorMain, ...given],
    {
      env: { ...process.env, ...environment },
      stdio: ["ignore", "ignore", "pipe"],
    },
  );
  process.once("exit", () => child.kill("SIGKILL"));
  let said = "";
  child.stderr?.on("data", (data) => {
    said += data;
  });
  const ended = new Promise<number | null>((resolve) => child.once("exit", resolve));
  const base = `http://127.0.0.1:${port}`;
  await Promise.race([until(async () => (await fetch(`${base}/healthz`)).ok), ended.then(() => assert.fail(said))]);
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
export const listStatus = (on: AggregatorProcess, token?: string) => callAggregator(on, "QueryService/ListStatus", {}, token);
export const countRows = async (on: AggregatorProcess, token?: string) => (await listStatus(on, token)).rows?.length ?? 0;
export async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await Promise.resolve(holds()).catch(() => false))) await sleep(systemClock, 20);
}
export const web1Target = { object: { host: { name: "web1" } } };
