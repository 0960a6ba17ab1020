import assert from "node:assert/strict";
import { type ChildProcess, spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { create, toBinary } from "@bufbuild/protobuf";
import { Code, ConnectError } from "@connectrpc/connect";
import { connectNodeAdapter } from "@connectrpc/connect-node";
import { CommandService } from "@realmwatch/proto/svc/v1/command_pb";
import { HeartbeatSchema, RealmEpochSchema, RealmEventSchema, StateRowSchema } from "@realmwatch/proto/svc/v1/state_pb";
import { rowFor } from "@realmwatch/shared/read-model/read-model.fixture";
import { type NatsBus, openNatsBus } from "@realmwatch/shared/tools/nats-bus";
import { freePort, type RealServer, startNatsServer, startRedisServer } from "@realmwatch/shared/tools/real-servers";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import { realmEventOf } from "@realmwatch/shared/wire/history";
import * as subjects from "@realmwatch/shared/wire/nats-subjects";
import { stateRowOf, stateRowOfChange } from "@realmwatch/shared/wire/state-row";
import { keyOf } from "@realmwatch/shared/words/object-key";
import { Redis } from "ioredis";

const folder = mkdtempSync(join(tmpdir(), "realmwatch-aggregator-"));
const calls: { authorization: string | null; author: string; comment: string }[] = [];
let nats: RealServer;
let redis: RealServer;
let bus: NatsBus;
let api: Server;

before(async () => {
  [nats, redis] = await Promise.all([startNatsServer(), startRedisServer()]);
  bus = openNatsBus({ url: nats.url, credsFile: "", name: "test", clock: systemClock, log: { info() {}, warn() {} } });
  api = createServer(
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
});
after(async () => {
  api.closeAllConnections();
  api.close();
  await bus.close();
  await Promise.all([nats[Symbol.asyncDispose](), redis[Symbol.asyncDispose]()]);
  rmSync(folder, { recursive: true });
});

/** The publishing side of an agent, by hand. */
function openRealm(name: string, epoch = 1_000) {
  let revision = 0;
  let beating: NodeJS.Timeout | undefined;
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
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
  const published = () => ({ realm: name, atMs: Date.now() });
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
        await publish(subjects.stateSubject(name, keyOf(ref)), toBinary(StateRowSchema, stateRowOf(row, published())));
      }
    },
    async drop(ref: string) {
      const change = { kind: "drop", realm: name, key: keyOf(ref), epoch, revision: ++revision } as const;
      await publish(
        subjects.stateSubject(name, keyOf(ref)),
        toBinary(StateRowSchema, stateRowOfChange(change, published())),
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
        toBinary(RealmEventSchema, realmEventOf({ realm: name, seq, atMs: Date.now(), type: "config" }, name)),
      ),
    live() {
      beat();
      beating = setInterval(beat, 300);
    },
    die: () => clearInterval(beating),
  };
}

type Aggregator = {
  readonly base: string;
  readonly child: ChildProcess;
  readonly said: () => string;
  stop(signal?: NodeJS.Signals): Promise<number | null>;
};

/** Starts the program as its users do, and waits until its port is open. */
async function start(
  realms: string,
  flags: readonly string[],
  environment: Record<string, string> = {},
): Promise<Aggregator> {
  const port = await freePort();
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
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
    ["--conditions=source", "--disable-warning=ExperimentalWarning", main, ...given],
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

async function ask(
  { base }: Pick<Aggregator, "base">,
  rpc: string,
  body: object = {},
  token?: string,
): Promise<Answer> {
  const headers = { "content-type": "application/json", ...(token ? { authorization: `Bearer ${token}` } : {}) };
  const response = await fetch(`${base}/svc.v1.${rpc}`, { method: "POST", headers, body: JSON.stringify(body) });
  const text = await response.text();
  return { http: response.status, ...(response.headers.get("content-type")?.includes("json") ? JSON.parse(text) : {}) };
}
const status = (on: Aggregator, token?: string) => ask(on, "QueryService/ListStatus", {}, token);
const count = async (on: Aggregator, token?: string) => (await status(on, token)).rows?.length ?? 0;
async function until(holds: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await Promise.resolve(holds()).catch(() => false))) await new Promise((resolve) => setTimeout(resolve, 20));
}
function document(name: string, text: string): string {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
}
const target = { object: { host: { name: "web1" } } };

test("two aggregators on one Redis: rows, commands, and every part may go away and come back", {
  timeout: 120_000,
}, async (t) => {
  const { port } = api.address() as AddressInfo;
  const realms = document(
    "realms.cue",
    `realms: {fra: {url: "http://127.0.0.1:${port}", token_env: "FRA", unreachable_after: "2s", labels: {site: "main"}}, ams: {}}`,
  );
  const flags = ["-redis-url", redis.url];
  const [one, two] = await Promise.all([
    start(realms, flags, { FRA: "tok-1" }),
    start(realms, flags, { FRA: "tok-1" }),
  ]);
  const [fra, ams] = [openRealm("fra"), openRealm("ams")];

  await t.test("what realms publish is read at both", async () => {
    await Promise.all([fra.put("web1", "web1!http", "old"), ams.put("db"), fra.tell(1)]);
    fra.live();
    for (const each of [one, two]) {
      await until(async () => (await count(each)) === 4);
      await until(async () => (await status(each)).realms?.find((realm) => realm.name === "fra")?.reachable === true);
      await until(async () => (await ask(each, "QueryService/ListHistory")).records?.length === 1);
    }
    const [silent] = (await status(one)).realms?.filter((realm) => realm.name === "ams") ?? [];
    assert.equal(silent?.reachable, false);
    assert.equal((await ask(one, "QueryService/ListStatus", { selector: "site=main" })).rows?.length, 3);
  });

  await t.test("what a realm removes goes; what a new epoch does not bring goes with its marker", async () => {
    await fra.drop("old");
    await until(async () => (await count(two)) === 3);
    const again = openRealm("fra", 2_000);
    await again.put("web1");
    await again.complete();
    await until(async () => (await count(one)) === 2 && (await count(two)) === 2);
  });

  await t.test("commands are forwarded and answered; errors of the realm pass through", async () => {
    const request = { target, author: "ann", comment: "on it" };
    assert.equal((await ask(one, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request })).http, 200);
    assert.deepEqual(calls.at(-1), { authorization: "Bearer tok-1", author: "ann", comment: "on it" });
    assert.equal(
      (await ask(two, "RealmCommandService/AddComment", { realm: "fra", request: { text: "x" } })).commentId,
      "c1",
    );
    const refused = await ask(one, "RealmCommandService/ScheduleDowntime", { realm: "fra", request: { target } });
    assert.deepEqual([refused.code, refused.message], ["invalid_argument", "start: is unset"]);
    assert.equal((await ask(one, "RealmCommandService/ScheduleCheck", { realm: "mars" })).code, "not_found");
    const silent = await ask(one, "RealmCommandService/ScheduleCheck", { realm: "ams" });
    assert.equal(silent.code, "unavailable");
    assert.match(silent.message ?? "", /realm "ams" is unreachable/);
    assert.equal((await ask(one, "CommandService/ScheduleCheck")).http, 404);
    assert.equal((await ask(one, "RealmBulkService/Execute")).code, "unimplemented");
    for (const service of ["AdminService/GetConfig", "RealmAdminService/GetConfig", "AuthService/WhoAmI"])
      assert.equal((await ask(one, service)).http, 404, service);
  });

  await t.test("[F33] an emptied Redis is filled again without the realms", async () => {
    fra.die();
    const client = new Redis(redis.url);
    await client.flushall();
    client.disconnect();
    await until(async () => (await count(one)) === 2 && (await count(two)) === 2);
    await until(async () => (await ask(two, "QueryService/ListHistory")).records?.length === 1);
  });

  await t.test("[I8] a silent realm turns unreachable, keeps its rows and when it was seen", async () => {
    await until(async () => (await status(two)).realms?.find((realm) => realm.name === "fra")?.reachable === false);
    const answer = await status(two);
    assert.equal(answer.rows?.length, 2);
    assert.ok(answer.realms?.find((realm) => realm.name === "fra")?.lastSeen);
    assert.ok(answer.realms?.find((realm) => realm.name === "ams")?.lastSeen, "the time of its newest stored message");
    assert.equal(
      (await ask(two, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request: { target } })).code,
      "unavailable",
    );
  });

  await t.test(
    "[F33] Redis away: unavailable by its name, not ready, and back by itself though it forgot everything",
    async () => {
      await redis.stop("SIGKILL");
      await until(async () => (await status(one)).code === "unavailable");
      assert.match((await status(one)).message ?? "", /Redis at .* is away/);
      assert.match((await ask(one, "RealmCommandService/AcknowledgeProblem", { realm: "fra" })).message ?? "", /Redis/);
      const ready = await fetch(`${one.base}/readyz`);
      assert.equal(ready.status, 503);
      assert.match(await ready.text(), /"redis": \{"ok":false/);
      assert.equal((await fetch(`${one.base}/healthz`)).status, 200);
      await redis.restart();
      await until(async () => (await count(one)) === 2 && (await count(two)) === 2);
    },
  );

  await t.test("[F09] NATS away: unavailable by its name, and back by itself", async () => {
    await nats.stop("SIGKILL");
    await until(async () => (await status(one)).code === "unavailable");
    assert.match((await status(one)).message ?? "", /NATS is away/);
    await nats.restart();
    await until(async () => (await count(one)) === 2);
    await fra.put("late");
    // The older epoch is over: only what the current one brings counts.
    await openRealm("fra", 2_000).put("x", "later");
    await until(async () => (await count(one)) === 4 && (await count(two)) === 4);
  });

  await t.test("[F06] one aggregator dies, the other goes on", async () => {
    await one.stop("SIGKILL");
    await ams.put("cache");
    await until(async () => (await count(two)) === 5);
  });

  await t.test("SIGHUP adds and removes realms; a document that does not hold changes nothing", async () => {
    const zrh = openRealm("zrh");
    await zrh.put("new");
    await until(() => two.said().includes('"realm":"zrh"'));
    document("realms.cue", 'realms: {fra: {}, zrh: {labels: {site: "new"}}}');
    two.child.kill("SIGHUP");
    await until(async () => (await ask(two, "QueryService/ListStatus", { selector: "site=new" })).rows?.length === 1);
    assert.deepEqual(new Set((await status(two)).rows?.map((row) => row.realm)), new Set(["fra", "zrh"]));
    document("realms.cue", "realms: {fra: {}, Bad: {}}");
    two.child.kill("SIGHUP");
    await until(() => two.said().includes("refused; the one before stays"));
    document("realms.cue", "realms: {fra: {}, zrh: {}, ams: {}}");
    two.child.kill("SIGHUP");
    await until(async () => new Set((await status(two)).rows?.map((row) => row.realm)).size === 3);
  });

  assert.equal(await two.stop(), 0);
  assert.doesNotMatch(two.said(), /tok-1/);
});

test("without Redis memory holds it all; identities, roles and authors", { timeout: 60_000 }, async () => {
  const { port } = api.address() as AddressInfo;
  const realms = document("memory.cue", `realms: {fra: {url: "http://127.0.0.1:${port}"}, ams: {}}`);
  const hash = (token: string) => `sha256:${createHash("sha256").update(token).digest("hex")}`;
  const auth = document(
    "auth.cue",
    `auth: {ann: {role: "operator", token_hash: "${hash("tok-ann")}"}, bob: {role: "viewer", token_hash: "${hash("tok-bob")}"}}`,
  );
  const on = await start(realms, ["-auth-config", auth]);
  const fra = openRealm("fra", 3_000);
  fra.live();
  await fra.put("web1");
  await fra.complete();
  await until(async () => ((await status(on, "tok-bob")).rows ?? []).some(({ realm }) => realm === "fra"));
  await until(
    async () => (await status(on, "tok-bob")).realms?.find((realm) => realm.name === "fra")?.reachable === true,
  );
  assert.equal((await status(on)).code, "unauthenticated");
  const request = { target, author: "mallory", comment: "mine" };
  assert.equal(
    (await ask(on, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request }, "tok-bob")).code,
    "permission_denied",
  );
  assert.equal(
    (await ask(on, "RealmCommandService/AcknowledgeProblem", { realm: "fra", request }, "tok-ann")).http,
    200,
  );
  assert.deepEqual(calls.at(-1), { authorization: null, author: "ann", comment: "mine" });
  assert.equal((await ask(on, "RealmAdminService/GetConfig", {}, "tok-ann")).code, "permission_denied");
  fra.die();
  assert.equal(await on.stop("SIGINT"), 0);
});

test("read-only mounts no commands, a token gates them", { timeout: 60_000 }, async () => {
  const realms = document("gates.cue", "realms: fra: {}");
  const [readOnly, gated] = await Promise.all([
    start(realms, ["-read-only"]),
    start(realms, ["-api-token", "tok-api"]),
  ]);
  for (const service of [
    "RealmCommandService/ScheduleCheck",
    "RealmBulkService/Execute",
    "RealmAdminService/GetConfig",
  ])
    assert.equal((await ask(readOnly, service)).http, 404, service);
  assert.equal((await ask(gated, "RealmCommandService/ScheduleCheck", { realm: "x" })).code, "unauthenticated");
  assert.equal((await ask(gated, "RealmCommandService/ScheduleCheck", { realm: "x" }, "tok-api")).code, "not_found");
  await until(async () => (await status(gated)).http === 200);
  await Promise.all([readOnly.stop(), gated.stop()]);
});

test("a missing token, a broken document and a missing flag end the start with a sentence", {
  timeout: 60_000,
}, async () => {
  const cases: [flags: string[], code: number, said: RegExp][] = [
    [
      ["-realms-config", document("token.cue", 'realms: fra: {token_env: "NOT_THERE"}')],
      1,
      /realm "fra": token_env: environment variable NOT_THERE holds no token/,
    ],
    [
      ["-realms-config", document("broken.cue", "realms: {\n  fra: {ur: 1}\n}\n")],
      1,
      /broken\.cue:2:13: realm "fra": ur is not a known field; the nearest one is "url"/,
    ],
    [[], 2, /-realms-config is needed/],
  ];
  const main = fileURLToPath(new URL("./main.ts", import.meta.url));
  await Promise.all(
    cases.map(async ([flags, code, expected]) => {
      const child = spawn(process.execPath, ["--conditions=source", main, "-nats-url", nats.url, ...flags], {
        stdio: ["ignore", "ignore", "pipe"],
      });
      let said = "";
      child.stderr.on("data", (data) => {
        said += data;
      });
      assert.equal(await new Promise((resolve) => child.once("exit", resolve)), code, said);
      assert.match(said, expected);
    }),
  );
});
