import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { QueryService } from "@realmwatch/proto/svc/v1/query_pb";
import { hashPassword } from "@realmwatch/shared/identity/password-hash";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { Redis } from "ioredis";
import { connect } from "nats";
import { call } from "../../run/call.ts";
import { runRealmwatch } from "../../run/cli.ts";
import { startNats, startRedis, startTestAgent, startTestAggregator, tempFolder } from "../../run/processes.ts";
import { hostTarget, statusRows } from "../../run/rows.ts";
import { type Canaries, filesBelow, makeCanaries, processTexts } from "./canaries.ts";
import { startEchoHttp, startEchoSmtp } from "./echo-receivers.ts";

/** Document with a secret in every field that holds one; each is used against a receiver that repeats what it gets. */
function documentOf({ of }: Canaries, port: number): string {
  const http = (user: string): string => `http://${user}:${of(user)}@127.0.0.1:${port}/${of(`${user}_path`)}`;
  const header = (name: string): string => `headers: Authorization: "Bearer ${of(name)}"`;
  const active = 'check_interval: "1s", retry_interval: "1s", timeout: "1s", max_attempts: 1, flap: {enabled: false}';
  const v3 = `user: "u", auth_proto: "SHA", auth_pass: "${of("auth_pass")}", priv_proto: "AES", priv_pass: "${of("priv_pass")}"`;
  return `
resources: USER9: "${of("user_macro")}"
commands: {
	environment: line: "/usr/bin/env"
	notify: {line: "env >&2; exit 1", shell: true}
}
hosts: web1: {
	address: "127.0.0.1"
	notification: "all"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {}}
	services: {
		v2c: {check: {type: "snmp", address: "127.0.0.1:9", oid: ".1.3.6.1.2.1.1.3.0", community: "${of("community")}", ${active}}}
		v3: {check: {type: "snmp", address: "127.0.0.1:9", oid: ".1.3.6.1.2.1.1.3.0", ${v3}, ${active}}}
		env: {check: {type: "command", command: "environment", ${active}}}
	}
}
contacts: {
	chat: {type: "chat_webhook", webhook_url: "${http("chat")}"}
	hook: {type: "webhook", url: "${http("hook")}"}
	pager: {type: "pager", routing_key: "${of("routing_key")}"}
	messenger: {type: "messenger", chat_id: "${of("chat_id")}"}
	incident: {type: "incident", alert_source_config_id: "source"}
	mail: {type: "email", address: "ann@example.org"}
	program: {type: "command", command: "notify"}
}
notifications: all: levels: [{contacts: ["chat", "hook", "pager", "messenger", "incident", "mail", "program"]}]
sinks: [string]: flush_interval: "200ms"
sinks: {
	http: {type: "http", url: "${http("sink_http")}", ${header("http_header")}, input: "events", cursor: "http"}
	otlp: {type: "otlp", url: "${http("sink_otlp")}", ${header("otlp_header")}, input: "events", cursor: "otlp"}
	write: {type: "remote_write", url: "${http("sink_write")}"}
	db: {type: "columnar_db", url: "${http("sink_db")}", input: "events"}
	store: {type: "archive", url: "s3://bucket/realm"}
}
datasources: prom: {type: "prometheus", url: "${http("datasource")}", default: true, ${header("datasource_header")}}
ui: panels: orders: {query: "up"}
`;
}

/** NATS and Redis that need a password each, and all messages and values that are in them. */
async function startBrokers(scope: TestScope, { of }: Canaries) {
  const folder = tempFolder(scope, "broker");
  const conf = join(folder, "nats.conf");
  writeFileSync(conf, `authorization: {user: "rw", password: "${of("nats_password")}"}\n`);
  const [nats, redis] = await Promise.all([startNats(scope, ["-c", conf]), startRedis(scope)]);
  const admin = new Redis(redis.url);
  atEnd(scope, () => admin.disconnect());
  await admin.config("SET", "requirepass", of("redis_password"));
  const tap = await connect({ servers: nats.url, user: "rw", pass: of("nats_password") });
  atEnd(scope, () => tap.close());
  const messages: string[] = [];
  tap.subscribe(">", {
    callback: (_error, { subject, data, headers }) =>
      void messages.push(`${subject} ${headers ?? ""} ${Buffer.from(data).toString("latin1")}`),
  });
  const valuesOf = async (key: string): Promise<unknown> => {
    const type = await admin.type(key);
    if (type === "hash") return admin.hgetall(key);
    if (type === "zset") return admin.call("ZRANGE", key, "0", "-1");
    return type === "string" ? admin.get(key) : type;
  };
  const url = (base: string, user: string, secret: string): string => base.replace("//", `//${user}:${of(secret)}@`);
  return {
    natsUrl: url(nats.url, "rw", "nats_password"),
    redisUrl: url(redis.url, "", "redis_password"),
    messages,
    async redisTexts(): Promise<string[]> {
      const keys = await admin.keys("*");
      return Promise.all(keys.map(async (key) => `${key} ${JSON.stringify(await valuesOf(key))}`));
    },
  };
}

test("[IN13] secrets are in no log, metric, answer, file, message or process list", async (t) => {
  const canaries = makeCanaries();
  const { of } = canaries;
  const folder = tempFolder(t, "secrets");
  const [echo, smtp, brokers] = await Promise.all([startEchoHttp(t), startEchoSmtp(t), startBrokers(t, canaries)]);
  const [auth, document] = [join(folder, "auth.cue"), join(folder, "config.cue")];
  const hash = await hashPassword(of("password"));
  const tokenHash = createHash("sha256").update(of("realm_token")).digest("hex");
  canaries.add("password_hash", hash);
  canaries.add("token_hash", tokenHash);
  writeFileSync(
    auth,
    `auth: ann: {role: "admin", password_hash: "${hash}"}
auth: bot: {role: "admin", token_hash: "sha256:${tokenHash}"}\n`,
  );
  writeFileSync(document, documentOf(canaries, echo.port));
  writeFileSync(join(folder, "session-secret"), of("session_secret"));
  const receiver = `http://127.0.0.1:${echo.port}`;
  const snapshot = join(folder, "snapshot.json");
  const agent = await startTestAgent(t, {
    config: document,
    realm: "fra",
    flags: {
      "auth-config": auth,
      "session-secret-file": join(folder, "session-secret"),
      "snapshot-out": snapshot,
      "snapshot-interval": "200ms",
      "smtp-url": `smtp://ann@127.0.0.1:${smtp.port}?tls=off`,
      "smtp-from": "realmwatch@example.org",
      "log-level": "debug",
      ...{ "messenger-url": receiver, "pager-url": receiver, "incident-url": receiver },
    },
    env: {
      REALMWATCH_NATS_URL: brokers.natsUrl,
      REALMWATCH_SMTP_PASSWORD: of("smtp_password"),
      REALMWATCH_MESSENGER_TOKEN: `1:${of("messenger_token")}`,
      REALMWATCH_INCIDENT_TOKEN: of("incident_token"),
      AWS_ACCESS_KEY_ID: of("aws_id"),
      AWS_SECRET_ACCESS_KEY: of("aws_secret"),
      AWS_ENDPOINT_URL: receiver,
    },
  });
  const aggregator = await startTestAggregator(t, {
    realms: `realms: fra: {url: "${agent.base}", token_env: "FRA_TOKEN"}\n`,
    flags: { "log-level": "debug" },
    env: {
      REALMWATCH_NATS_URL: brokers.natsUrl,
      REALMWATCH_REDIS_URL: brokers.redisUrl,
      REALMWATCH_API_TOKEN: of("api_token"),
      FRA_TOKEN: of("realm_token"),
    },
  });
  const bot = { authorization: `Bearer ${of("realm_token")}` };
  const operator = { authorization: `Bearer ${of("api_token")}` };
  const answers: string[] = [];
  const keep = async (base: string, rpc: string, request: object, headers: Record<string, string> = {}) => {
    const answer = await call(base, rpc, request, headers);
    answers.push(`${rpc} ${JSON.stringify(answer.body)}`);
    return answer;
  };

  // Logins and credentials, right ones and wrong ones.
  const login = await call(agent.base, "AuthService/Login", { user: "ann", password: of("password") });
  assert.equal(login.ok, true, login.message);
  answers.push(JSON.stringify(login.body));
  const session = login.headers.getSetCookie()[0]?.split(";")[0] ?? "";
  canaries.add("session", session.slice(session.indexOf("=") + 1));
  assert.equal((await keep(agent.base, "AuthService/WhoAmI", {}, { cookie: session })).ok, true);
  await keep(agent.base, "CommandService/ScheduleCheck", {}, { cookie: session });
  assert.equal((await keep(agent.base, "AuthService/Logout", {}, { cookie: session })).ok, true);
  await keep(agent.base, "AuthService/WhoAmI", {}, { cookie: session });
  await keep(agent.base, "AuthService/Login", { user: "ann", password: of("wrong_password") });
  await keep(agent.base, "QueryService/ListStatus", {}, { authorization: `Bearer ${of("wrong_token")}` });
  await keep(agent.base, "QueryService/ListStatus", {}, { cookie: `svc_session=${of("wrong_cookie")}` });
  await keep(
    aggregator.base,
    "RealmCommandService/AddComment",
    {},
    { authorization: `Bearer ${of("wrong_api_token")}` },
  );

  // Documents that are refused where a secret is, and at a reload.
  const good = documentOf(canaries, echo.port);
  const broken = [
    `${good}contacts: bad: {type: "pager", routing_key: ["${of("bad_key")}"]}\n`,
    `${good}sinks: bad: {type: "http", url: "http://a", headers: {Authorization: "${of("bad_header")}\\u0001"}}\n`,
    `${good}hosts: web1: services: v3: check: {auth_pass: "${of("bad_pass")}"}\n`,
    `${good}contacts: bad: {type: "chat_webhook", webhook_urls: "http://u:${of("bad_url")}@h/"}\n`,
    `${good}datasources: prom: headers: "X-Key": 5 & "${of("bad_datasource")}"\n`,
  ];
  for (const [index, cue] of broken.entries()) {
    const refused = await call(agent.base, "AdminService/ApplyConfig", { cue }, bot);
    assert.equal(refused.code, "invalid_argument", cue.split("\n").at(-2) ?? "");
    answers.push(`ApplyConfig ${JSON.stringify(refused.body)}`);
    if (index % 2 === 1) continue;
    writeFileSync(document, cue);
    const before = agent.output().length;
    agent.signal("SIGHUP");
    await until("the document is refused", () => /refused/.test(agent.output().slice(before)));
  }
  writeFileSync(document, good);
  assert.equal((await call(agent.base, "AdminService/ApplyConfig", { cue: good }, bot)).ok, true);

  // Every receiver is tried and refuses, and a command travels from the centre to the realm.
  const down = { object: hostTarget("web1").object, status: "STATUS_CRITICAL", output: "down|time=1s" };
  assert.equal((await keep(agent.base, "CommandService/ProcessCheckResult", down, bot)).ok, true);
  await until("the command is accepted at the centre", async () => {
    const request = { realm: "fra", request: { target: hostTarget("web1"), text: "x", author: "ann" } };
    return (await keep(aggregator.base, "RealmCommandService/AddComment", request, operator)).ok;
  });
  await keep(agent.base, "QueryService/QueryPanel", { panel: "orders" }, bot);
  await keep(agent.base, "QueryService/ListObjectMetrics", { object: hostTarget("web1").object }, bot);
  const used = ["chat_path", "hook_path", "routing_key", "chat_id", "messenger_token", "incident_token", "http_header"];
  used.push("otlp_header", "sink_write", "sink_db", "aws_id", "datasource_header", "smtp_password");
  await until(
    "every receiver got its secret",
    () => {
      const got = canaries.foundIn(echo.received() + smtp.received());
      return used.every((name) => got.includes(name));
    },
    {
      withinMs: 60_000,
      seen: () => {
        const got = canaries.foundIn(echo.received() + smtp.received());
        return used.filter((name) => !got.includes(name));
      },
    },
  );
  await until("the checks have run", async () => {
    const rows = await statusRows(agent.base, {}, bot);
    return ["v2c", "v3", "env"].every((name) => rows[`web1!${name}`]?.status !== "STATUS_PENDING");
  });
  await until("the failures show", async () => {
    const sinks = JSON.stringify((await call(agent.base, "QueryService/ListSinks", {}, bot)).body);
    const contacts = JSON.stringify((await call(agent.base, "QueryService/ListContacts", {}, bot)).body);
    return [sinks, contacts].every((text) => text.includes("lastError"));
  });
  const start = systemClock.monotonic();
  await until("the snapshot is newer", () => existsSync(snapshot) && systemClock.monotonic() - start > 500);

  for (const { base } of [agent, aggregator]) {
    for (const { name } of QueryService.methods) await keep(base, `QueryService/${name}`, {}, bot);
    await keep(base, "AdminService/ListAuditRecords", { limit: 1000 }, bot);
    for (const path of ["/metrics", "/metrics?objects=1", "/healthz", "/readyz", "/api/openapi.json", "/"])
      answers.push(`${path} ${await (await fetch(base + path, { headers: bot })).text()}`);
  }
  const backup = join(folder, "journal.backup");
  assert.equal((await runRealmwatch(["backup", "-data-dir", agent.dataDir, "-out", backup], { env: {} })).code, 0);
  const places: [place: string, text: string][] = [
    ...processTexts(agent.pid),
    ...processTexts(aggregator.pid),
    ...answers.map((text): [string, string] => [text.slice(0, 60), text]),
    ...brokers.messages.map((text): [string, string] => [`NATS ${text.slice(0, 60)}`, text]),
    ...(await brokers.redisTexts()).map((text): [string, string] => [`Redis ${text.slice(0, 60)}`, text]),
  ];
  assert.ok(
    brokers.messages.some((text) => text.startsWith("svc.")),
    "nothing was seen on NATS",
  );
  assert.ok(
    places.some(([place]) => place.startsWith("Redis rw:")),
    "nothing was seen in Redis",
  );
  await Promise.all([agent.stop(), aggregator.stop()]);
  places.push(["agent's log", agent.output()], ["aggregator's log", aggregator.output()]);
  places.push(...filesBelow(agent.dataDir), ...filesBelow(aggregator.dataDir));
  places.push(...filesBelow(folder).filter(([path]) => path === backup || path === snapshot));
  const leaks = places.flatMap(([place, text]) => {
    const found = canaries.foundIn(text);
    return found.length === 0 ? [] : [`${place}: ${found.join(", ")}`];
  });
  assert.deepEqual(leaks, []);
});
