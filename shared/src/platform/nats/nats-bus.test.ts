import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, type TestContext, test } from "node:test";
import { headers, nkeys } from "nats";
import { manualClock } from "../../model/manual-clock.fixture.ts";
import { systemClock } from "../system-clock.ts";
import { startNatsServer } from "../testing/spawned-server.fixture.ts";
import { until } from "../testing/until.fixture.ts";
import { type NatsBus, openNatsBus } from "./nats-bus.ts";

function open(url: string): { bus: NatsBus; warnings: string[] } {
  const warnings: string[] = [];
  const log = { info() {}, warn: (fields: unknown) => void warnings.push(JSON.stringify(fields)) };
  const bus = openNatsBus({ url, credsFile: "", name: "test", clock: systemClock, log });
  after(() => bus.close());
  return { bus, warnings };
}
const up = (bus: NatsBus) => until("connected", () => bus.live(), { seen: bus.connectionError });

test("[NB1] subscriptions deliver again after the NATS server restarted", async () => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  const received: string[] = [];
  bus.subscribe("words.*", (message) => received.push(message.string()));

  assert.equal(bus.publish("words.a", Buffer.from("one"), headers()), true);
  await until("the message", () => received.includes("one"));

  await server.stop("SIGKILL");
  await until("disconnected", () => bus.live() === undefined);
  assert.equal(bus.publish("words.a", Buffer.from("lost")), false);
  assert.notEqual(bus.connectionError(), "");

  await server.restart();
  await up(bus);
  bus.publish("words.a", Buffer.from("two"));
  await until("the second message", () => received.includes("two"));
  assert.deepEqual(received, ["one", "two"]);
  assert.equal(bus.connections(), 2);
  await bus.close();
});

test("[NB7] a wall clock that was set back delays no reconnection", async (t) => {
  await using server = await startNatsServer();
  const { bus } = open(server.url);
  await up(bus);
  const now = Date.now;
  t.mock.method(Date, "now", () => now() - 3_600_000);
  await server.stop("SIGKILL");
  await until("disconnected", () => bus.live() === undefined);
  await server.restart();
  await up(bus);
  await bus.close();
});

test("[FD99] a connection above the server's limit is named, and made when there is room", async (t) => {
  await using server = await startNatsServer(["-c", configuration(t, "max_connections: 1")]);
  const [first, second] = [open(server.url), open(server.url)];
  const both = [first.bus, second.bus];
  await until("one is connected, and the limit is named", () =>
    both.some((bus) => bus.live() && both.some((other) => /max_connections/.test(other.connectionError()))),
  );
  const refused = first.bus.live() === undefined ? first.bus : second.bus;
  await both.find((bus) => bus !== refused)?.close();
  await up(refused);
  assert.equal(refused.connectionError(), "");
  await refused.close();
});

test("[FD99] a subscription above the server's limit is named, and tried again over a new connection", async (t) => {
  await using server = await startNatsServer(["-c", configuration(t, "max_subscriptions: 1")]);
  const clock = manualClock(0);
  const bus = openNatsBus({ url: server.url, credsFile: "", name: "test", clock, log: { info() {}, warn() {} } });
  after(() => Promise.all([bus.close(), clock.advance(2_000)]));
  await up(bus);
  const received: string[] = [];
  const stop = bus.subscribe("one", () => {});
  bus.subscribe("two", (message) => received.push(message.string()));
  await until("the limit is named", () => /max_subscriptions/.test(bus.connectionError()));
  stop();
  clock.advance(30_000);
  await until("the subscription is in effect", () => bus.publish("two", Buffer.from("heard")) && received.length > 0);
  assert.equal(bus.connectionError(), "");
  await bus.close();
});

/** File with lines of a server's configuration. */
function configuration(t: TestContext, lines: string): string {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-nats-limits-"));
  t.after(() => rmSync(folder, { recursive: true }));
  writeFileSync(join(folder, "nats.conf"), lines);
  return join(folder, "nats.conf");
}

test("[NB3] a refused login is logged without the password and retried", async () => {
  await using server = await startNatsServer(["--user", "ann", "--pass", "right-one"]);
  const { bus, warnings } = open(server.url.replace("//", "//ann:wrong-one@"));
  await until("a warning", () => warnings.length > 0);
  assert.match(bus.connectionError(), /authorization/i);
  assert.doesNotMatch(warnings.join(), /wrong-one/);
  await bus.close();

  const good = open(server.url.replace("//", "//ann:right-one@"));
  await up(good.bus);
  await good.bus.close();
});

test("[NB3] a token in the URL logs in, and a wrong one is refused", async () => {
  await using server = await startNatsServer(["--auth", "right-token"]);
  const good = open(server.url.replace("//", "//right-token@"));
  await up(good.bus);
  await good.bus.close();
  const bad = open(server.url.replace("//", "//wrong-token@"));
  await until("the login is refused", bad.bus.loginRefused, { seen: bad.bus.connectionError });
  assert.doesNotMatch(bad.warnings.join(), /wrong-token/);
  await bad.bus.close();
});

type KeyPair = ReturnType<typeof nkeys.createAccount>;

/** A JWT of NATS for the key `of`, signed by `by`. */
function natsJwt(type: string, of: KeyPair, by: KeyPair): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString("base64url");
  const limits = { subs: -1, conn: -1, leaf: -1, imports: -1, exports: -1, data: -1, payload: -1, wildcards: true };
  const claims = {
    ...{ jti: type, iat: 1, iss: by.getPublicKey(), sub: of.getPublicKey(), name: type },
    nats: type === "account" ? { type, version: 2, limits } : { type, version: 2 },
  };
  const text = `${encode({ typ: "JWT", alg: "ed25519-nkey" })}.${encode(claims)}`;
  return `${text}.${Buffer.from(by.sign(Buffer.from(text))).toString("base64url")}`;
}

test("[NB3] a file with credentials logs in where the server demands them, also when it was replaced", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "realmwatch-creds-"));
  t.after(() => rmSync(folder, { recursive: true }));
  const [operator, account] = [nkeys.createOperator(), nkeys.createAccount()];
  const config = join(folder, "nats.conf");
  writeFileSync(
    config,
    `operator: ${natsJwt("operator", operator, operator)}
resolver: MEMORY
resolver_preload: { ${account.getPublicKey()}: ${natsJwt("account", account, operator)} }
`,
  );
  const credsFile = join(folder, "user.creds");
  const writeCredentials = (by: KeyPair): void => {
    const user = nkeys.createUser();
    const dashes = "-----";
    writeFileSync(
      credsFile,
      `${dashes}BEGIN NATS USER JWT${dashes}\n${natsJwt("user", user, by)}\n${dashes}-END NATS USER JWT${dashes}-\n
${dashes}BEGIN USER NKEY SEED${dashes}\n${Buffer.from(user.getSeed())}\n${dashes}-END USER NKEY SEED${dashes}-\n`,
    );
  };
  writeCredentials(nkeys.createAccount());
  await using server = await startNatsServer(["-c", config, "-js=false"]);
  const log = { info() {}, warn() {} };
  const bus = openNatsBus({ url: server.url, credsFile, name: "test", clock: systemClock, log });
  after(() => bus.close());
  await until("credentials of another account are refused", bus.loginRefused, { seen: bus.connectionError });
  writeCredentials(account);
  await up(bus);
  await bus.close();
});

test("an unusable URL is reported as a connection error and never throws", async () => {
  const { bus, warnings } = open("nats://");
  await until("a warning", () => warnings.length > 0);
  assert.notEqual(bus.connectionError(), "");
  await bus.close();
});
