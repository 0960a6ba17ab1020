import assert from "node:assert/strict";
import { chmodSync, readdirSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { formatNatsConfiguration } from "@realmwatch/aggregator/realms/nats-formats";
import { stopProcess } from "@realmwatch/shared/platform/testing/stop-process.fixture";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import {
  spawnProgram,
  startNats,
  startTcpTarget,
  startTestAgent,
  startTestWorker,
  type TestProgram,
  tempFolder,
} from "../run/processes.ts";
import { type JsonRow, sendCommand, serviceTarget, statusRows } from "../run/rows.ts";

type ZoneRow = JsonRow & { readonly checkSource?: string; readonly zone?: string; readonly longOutput?: string };

const zoneRows = async (agent: TestProgram): Promise<Readonly<Record<string, ZoneRow>>> =>
  (await statusRows(agent.base)) as Readonly<Record<string, ZoneRow>>;

/** Samples of a metric, by name and labels as in the exposition format. */
async function metric(program: TestProgram, name: string): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${program.base}/metrics`)).text();
  const lines = text
    .split("\n")
    .filter((line) => line.startsWith(`realmwatch_${name}{`) || line.startsWith(`realmwatch_${name} `));
  return Object.fromEntries(
    lines.map((line) => [line.slice(0, line.lastIndexOf(" ")), Number(line.split(" ").at(-1))]),
  );
}
const sum = (samples: Readonly<Record<string, number>>): number => Object.values(samples).reduce((a, b) => a + b, 0);

const [agentPassword, workerPassword] = ["agent-password-1", "worker-password-1"];

/** Writes the NATS configuration that `nats-config` prints, with the settings of the zones page. */
function natsConfig(scope: TestScope): string {
  const printed = formatNatsConfiguration({ realms: ["fra"], zones: ["dmz"], accountPerRealm: false });
  const file = join(tempFolder(scope, "nats"), "nats.conf");
  const text = printed
    .replace("$NATS_PASSWORD_CENTRE", '"centre-password-1"')
    .replace("$NATS_PASSWORD_REALM_FRA", `"${agentPassword}"`)
    .replace("$NATS_PASSWORD_WORKER_DMZ", `"${workerPassword}"`);
  writeFileSync(file, `ping_interval: "10s"\nping_max: 2\n${text}`);
  return file;
}

const timed = (timeout: string): string =>
  `check_interval: "1s", retry_interval: "500ms", timeout: "${timeout}", max_attempts: 1, flap: {enabled: false}`;
/** Check with a timeout that is long enough for several offers while a worker hangs. */
const quick = timed("40s");

/** Writes a plugin that prints its arguments and the environment variables of a check. */
function plugin(scope: TestScope): string {
  const file = join(tempFolder(scope, "plugin"), "check_echo");
  writeFileSync(
    file,
    `#!/bin/sh
echo "args: $* | answers=3;5;7;0;9"
echo "host $NAGIOS_HOSTNAME at $NAGIOS_HOSTADDRESS rack $NAGIOS__HOSTRACK"
echo "service $NAGIOS_SERVICEDESC attempt $NAGIOS_SERVICEATTEMPT user1 <$NAGIOS_USER1>"
echo "parent $PPID"
`,
  );
  chmodSync(file, 0o755);
  return file;
}

async function startHttp(scope: TestScope): Promise<string> {
  const server = createServer((_, answer) => answer.end("hello"));
  await new Promise<void>((go) => server.listen(0, "127.0.0.1", go));
  atEnd(scope, () => new Promise<void>((go) => void server.close(() => go())));
  const address = server.address();
  return `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/`;
}

type Parts = { readonly tcp: string; readonly http: string; readonly plugin: string };

const document = ({ tcp, http, plugin }: Parts): string => `
resources: {USER1: "a-secret-of-the-line", USER2: "a-secret-of-no-check"}
commands: echo: line: "${plugin} -p $USER1$ -H $HOSTADDRESS$ $ARG1$"
hosts: dmz1: {
	address: "127.0.0.1"
	zone: "dmz"
	vars: RACK: "B7"
	check: {type: "tcp", address: "${tcp}", ${quick}}
	services: {
		web: check: {type: "http", url: "${http}", ${quick}}
		legacy: check: {type: "legacy", path: "${plugin}", args: ["one", "two words"], ${quick}}
		line: check: {type: "command", command: "echo", args: ["of $HOSTNAME$"], ${quick}}
${Array.from({ length: 8 }, (_, n) => `		load${n}: check: {type: "tcp", address: "${tcp}", ${quick}}`).join("\n")}
	}
}
hosts: here: {
	address: "127.0.0.1"
	check: {type: "tcp", address: "${tcp}", ${quick}}
	services: unserved: {zone: "far away", check: {type: "tcp", address: "${tcp}", ${timed("2s")}}}
}
`;

async function startZone(scope: TestScope) {
  const nats = await startNats(scope, ["-c", natsConfig(scope)]);
  const as = (login: string): string => nats.url.replace("//", `//${login}@`);
  const [target, http] = await Promise.all([startTcpTarget(scope), startHttp(scope)]);
  const config = document({ tcp: target.address, http, plugin: plugin(scope) });
  const workerFlags = { "nats-url": as(`worker-dmz:${workerPassword}`), zones: "dmz" };
  const [one, two, agent] = await Promise.all([
    startTestWorker(scope, { ...workerFlags, realm: "fra" }),
    startTestWorker(scope, workerFlags),
    startTestAgent(scope, { config, realm: "fra", flags: { "nats-url": as(`realm-fra:${agentPassword}`) } }),
  ]);
  return { nats, target, one, two, agent };
}

test("[ZO1, ZO2, ZO3, ZO8] workers share the checks of a zone, over the loss of a worker and of NATS; secrets reach the check only", async (t) => {
  const { nats, target, one, two, agent } = await startZone(t);
  const isOk = (row: ZoneRow | undefined): boolean => row?.status === "STATUS_OK";

  await t.test("each type of check in the zone is run by a worker, which its row names", async () => {
    const rows = await until("all of the zone are ok", async () => {
      const all = await zoneRows(agent);
      return Object.entries(all).every(([ref, row]) => ref === "here!unserved" || isOk(row)) && all;
    });
    for (const row of Object.values(rows).filter(({ zone }) => zone === "dmz"))
      assert.match(row.checkSource ?? "", new RegExp(`:(${one.pid}|${two.pid})$`));
    assert.equal(rows["here"]?.checkSource, "fra");
  });

  await t.test("macros, variables and the named secret reach the check", async () => {
    const rows = await zoneRows(agent);
    const [line, legacy] = [rows["dmz1!line"], rows["dmz1!legacy"]];
    assert.equal(line?.output, "args: -p a-secret-of-the-line -H 127.0.0.1 of dmz1");
    assert.equal(legacy?.output, "args: one two words");
    assert.match(legacy?.longOutput ?? "", /^host dmz1 at 127\.0\.0\.1 rack B7$/m);
    assert.match(legacy?.longOutput ?? "", /^service legacy attempt \d user1 <>$/m);
    assert.equal(line?.perfdata?.[0]?.value, 3);
    const printed = [one, two, agent].map((program) => program.output()).join("\n");
    assert.doesNotMatch(printed, /a-secret|password-1/);
  });

  await t.test("both workers ran checks and stored no data", async () => {
    await until(
      "both have worked",
      async () => sum(await metric(one, "checks_total")) > 5 && sum(await metric(two, "checks_total")) > 5,
    );
    assert.deepEqual(readdirSync(one.dataDir), []);
    assert.equal((await fetch(`${one.base}/readyz`)).status, 200);
    assert.equal((await fetch(`${one.base}/svc.v1.QueryService/ListStatus`, { method: "POST" })).status, 404);
    assert.equal((await metric(one, "nats_connected"))["realmwatch_nats_connected"], 1);
  });

  await t.test("[ZO1] a check of a zone without workers is unknown with the reason", async () => {
    const row = await until("the result", async () => {
      const found = (await zoneRows(agent))["here!unserved"];
      return found?.status === "STATUS_UNKNOWN" && found;
    });
    assert.equal(row.output, 'no worker of zone "far away" took the check within 2s: none is connected');
  });

  await t.test("[ZO6] checks of a worker that hangs are run by the other one", async () => {
    stopProcess(one.pid);
    const since = Date.now();
    await until(
      "all are checked since",
      async () =>
        Object.values(await zoneRows(agent))
          .filter(({ zone }) => zone === "dmz")
          .every(
            (row) => isOk(row) && Date.parse(row.lastCheck ?? "") > since && row.checkSource?.endsWith(`:${two.pid}`),
          ),
      { withinMs: 60_000 },
    );
    process.kill(one.pid, "SIGCONT");
  });

  await t.test("[ZO2] checks of a killed worker are run by the other one", async () => {
    await one.stop("SIGKILL");
    const since = Date.now();
    await until("all are checked since, ok, and by the other one", async () =>
      Object.values(await zoneRows(agent))
        .filter(({ zone }) => zone === "dmz")
        .every(
          (row) => isOk(row) && Date.parse(row.lastCheck ?? "") > since && row.checkSource?.endsWith(`:${two.pid}`),
        ),
    );
  });

  await t.test("[SC3] a requested check is run by the worker", async () => {
    await target.close();
    await sendCommand(agent.base, "ScheduleCheck", { target: serviceTarget("dmz1", "load3") });
    await until("the closed target", async () => (await zoneRows(agent))["dmz1!load3"]?.status === "STATUS_CRITICAL");
    await target.open();
    await until("all are ok again", async () =>
      Object.entries(await zoneRows(agent)).every(([ref, row]) => ref === "here!unserved" || isOk(row)),
    );
  });

  await t.test(
    "[ZO7] without NATS a check is unknown when its timeout passes, and others run after the reconnection",
    async () => {
      await nats.stop("SIGKILL");
      await until("the result without NATS", async () =>
        /^no worker of zone "far away" took the check within 2s: NATS is not connected \(/.test(
          (await zoneRows(agent))["here!unserved"]?.output ?? "",
        ),
      );
      assert.equal((await fetch(`${two.base}/readyz`)).status, 503);
      assert.equal((await fetch(`${two.base}/healthz`)).status, 200);
      const rows = await zoneRows(agent);
      assert.ok(Object.entries(rows).every(([ref, row]) => ref === "here!unserved" || isOk(row)));
      await nats.restart();
      const since = Date.now();
      await until(
        "the zone was checked since",
        async () =>
          Object.values(await zoneRows(agent))
            .filter(({ zone }) => zone === "dmz")
            .every((row) => isOk(row) && Date.parse(row.lastCheck ?? "") > since),
        { withinMs: 60_000 },
      );
    },
  );

  await t.test("[ZO2] a worker that is stopped ends in order", async () => {
    assert.equal(await two.stop("SIGTERM"), 0);
  });
});

test("[ZO4, IN12] a worker without -nats-url is refused in one line", async () => {
  const child = spawnProgram("agent", ["-worker", "-zones", "dmz"]);
  let output = "";
  child.stderr?.on("data", (data: Buffer) => (output += data));
  const code = await new Promise((done) => child.once("exit", done));
  assert.equal(code, 2);
  assert.match(output, /^realmwatch-agent: -worker needs -nats-url: .*\n$/);
});

test("[ZO4] a worker whose port is in use names the flag for another one", async (t) => {
  const address = new URL(await startHttp(t)).host;
  const child = spawnProgram("agent", ["-worker", "-nats-url", "nats://127.0.0.1:1", "-listen", address]);
  let output = "";
  child.stderr?.on("data", (data: Buffer) => (output += data));
  const code = await new Promise((done) => child.once("exit", done));
  assert.equal(code, 1);
  const line = output.split("\n").find((each) => each.startsWith("realmwatch-agent: "));
  assert.equal(
    line,
    `realmwatch-agent: cannot listen at ${address}: the port is in use; choose another address with -listen`,
  );
});

test("[ZO4, NB3] a worker whose login is refused runs and is not ready", async (t) => {
  const nats = await startNats(t, ["-c", natsConfig(t)]);
  const worker = await startTestWorker(t, {
    "nats-url": nats.url.replace("//", "//worker-dmz:wrong-password-2@"),
    realm: "fra",
  });
  const page = await until("the reason", async () => {
    const text = await (await fetch(`${worker.base}/readyz`)).text();
    return /authori/i.test(text) && text;
  });
  assert.match(page, /"ready": false/);
  assert.doesNotMatch(page + worker.output(), /wrong-password-2/);
  assert.equal((await call(worker.base, "QueryService/ListStatus")).http, 404);
});
