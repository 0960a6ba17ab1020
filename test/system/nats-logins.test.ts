import assert from "node:assert/strict";
import { test } from "node:test";
import { startPrintedNats } from "@realmwatch/aggregator/commands/printed-nats.fixture";
import { atEnd } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTcpTarget, startTestAgent, startTestAggregator, startTestWorker } from "../run/processes.ts";
import { sendCommand, serviceTarget, statusRows } from "../run/rows.ts";

const schedule = 'check_interval: "1s", retry_interval: "500ms", timeout: "20s", flap: {enabled: false}';
const document = (address: string): string => `
hosts: web: {
	address: "127.0.0.1"
	check: {type: "tcp", address: "${address}", ${schedule}}
	services: {
		far: {zone: "dmz", check: {type: "tcp", address: "${address}", ${schedule}}}
	}
}
`;

for (const accountPerRealm of [false, true]) {
  const mode = accountPerRealm ? "an account for each realm" : "one account for all realms";
  test(`[PT11] with the printed NATS configuration and ${mode}, agents, a worker and an aggregator work together`, async (t) => {
    const nats = await startPrintedNats({ realms: ["fra", "ams"], zones: ["dmz"], accountPerRealm });
    atEnd(t, () => nats[Symbol.asyncDispose]());
    const target = await startTcpTarget(t);
    const centre = await startTestAggregator(t, {
      realms: "realms: {\n\tfra: {}\n\tams: {}\n}",
      flags: { "nats-url": nats.centreUrl() },
    });
    const [fra, ams, worker] = await Promise.all([
      startTestAgent(t, {
        config: document(target.address),
        realm: "fra",
        flags: { "nats-url": nats.realmUrl("fra") },
      }),
      startTestAgent(t, {
        config: document(target.address),
        realm: "ams",
        flags: { "nats-url": nats.realmUrl("ams") },
      }),
      startTestWorker(t, { "nats-url": nats.workerUrl("dmz"), realm: "fra", zones: "dmz" }),
    ]);
    await until("the worker runs the check of the zone", async () => {
      const far = (await statusRows(fra.base))["web!far"];
      return far?.status === "STATUS_OK";
    });
    await until("the centre has the rows of both realms", async () => {
      const rows = await statusRows(centre.base);
      return ["fra/web", "ams/web"].every((ref) => rows[ref]?.status === "STATUS_OK");
    });
    const request = { target: serviceTarget("web", "far"), author: "ann", comment: "over NATS" };
    await until("a command reaches the realm over NATS", () =>
      sendCommand(centre.base, "RealmCommandService/AddComment", { realm: "fra", request }),
    );
    const ready = await (await fetch(`${centre.base}/readyz`)).json();
    assert.match(
      (ready as { dependencies: { streams: { detail: string } } }).dependencies.streams.detail,
      /^SVC_STATE is 0 % full, SVC_EVENTS is 0 % full, SVC_LEASE is 0 % full$/,
    );
    const logins = [nats.centreUrl(), nats.realmUrl("fra"), nats.realmUrl("ams"), nats.workerUrl("dmz")];
    for (const [at, program] of [centre, fra, ams, worker].entries()) {
      const log = program.output();
      assert.match(log, /-nats-url[^\n]*secrets on the command line are visible|secrets on the[^\n]*-nats-url/);
      for (const login of logins) assert.ok(!log.includes(new URL(login).password), `program ${at} logs a password`);
    }
  });
}

test("[NB3] an aggregator whose login NATS refuses says so in /readyz, the log and the metric, without the password", async (t) => {
  const nats = await startPrintedNats({ realms: ["fra"], zones: [], accountPerRealm: false });
  atEnd(t, () => nats[Symbol.asyncDispose]());
  const url = nats.centreUrl().replace(/:[^:@/]+@/, ":wr0ng-secret@");
  const centre = await startTestAggregator(t, { realms: "realms: fra: {}\n", env: { REALMWATCH_NATS_URL: url } });
  const ready = await until("the login is refused", async () => {
    const response = await fetch(`${centre.base}/readyz`);
    const text = await response.text();
    return /NATS refuses the login/.test(text) && { status: response.status, text };
  });
  assert.equal(ready.status, 503);
  assert.match(await (await fetch(`${centre.base}/metrics`)).text(), /^realmwatch_nats_login_refused(\{[^}]*\})? 1$/m);
  assert.match(centre.output(), /refuses the login/);
  assert.doesNotMatch(centre.output() + ready.text, /wr0ng/);
  assert.doesNotMatch(centre.output(), /secrets on the command line/);
});
