import assert from "node:assert/strict";
import { test } from "node:test";
import type { NatsBus } from "@realmwatch/shared/platform/nats/nats-bus";
import { startNatsServer } from "@realmwatch/shared/platform/testing/spawned-server.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { checkSubject, realmInboxPrefix } from "@realmwatch/shared/wire/nats/nats-subjects";
import { createInbox } from "nats";
import { whyUntrusted } from "./trusted-connection.ts";
import { agentOn, doneAnswer, flushed, startZone, testZone, workerOn, zoneHostPlan } from "./zones.fixture.ts";

test("[ZO3] only a broker that requires a login is trusted, unless the operator permits others", () => {
  const via = (info: object, insecure = false): string =>
    whyUntrusted({ info: info as never, getServer: () => "127.0.0.1:4222" }, { insecure });
  assert.equal(via({ auth_required: true }), "");
  assert.equal(via({ auth_required: false, client_ip: "127.0.0.1" }, true), "");
  for (const info of [{}, { client_ip: "127.0.0.1" }, { client_ip: "::1", auth_required: false }])
    assert.match(via(info), /^NATS at 127\.0\.0\.1:4222 requires no login: .*-insecure-worker/);
});

test("[ZO3] agent and worker refuse checks over a broker without a login, on the loopback too", async () => {
  await using zone = await startZone(["one"], await startNatsServer());
  const { agentBus, workers } = zone;
  const bus = workers[0] as NatsBus;
  let runs = 0;
  workerOn(bus, "one", async () => {
    runs += 1;
    return doneAnswer;
  });
  await flushed(bus);
  const found = await agentOn(agentBus).run(zoneHostPlan(5_000));
  assert.match(found.output, /requires no login/);
  // An agent of another release that sends its check all the same is refused by the worker.
  const inbox = createInbox(realmInboxPrefix("fra"));
  const answers: string[] = [];
  agentBus.subscribe(inbox, (message) => answers.push(message.string()));
  agentBus.live()?.publish(checkSubject("fra", testZone), "{}", { reply: inbox });
  await until("the worker refuses", () => answers.length > 0);
  assert.match(answers.join(), /"refused".*requires no login/);
  assert.equal(runs, 0);
});

test("[ZO3] a worker answers only on an inbox of the realm's agent", async () => {
  await using zone = await startZone(["one"]);
  const { agentBus, workers } = zone;
  let runs = 0;
  workerOn(workers[0] as NatsBus, "one", async () => {
    runs += 1;
    return doneAnswer;
  });
  await flushed(workers[0]);
  const heard: string[] = [];
  agentBus.subscribe("svc.v1.state.>", ({ subject }) => heard.push(subject));
  agentBus.live()?.publish(checkSubject("fra", testZone), "{}", { reply: "svc.v1.state.ams.host.d2ViMQ" });
  const found = await agentOn(agentBus).run(zoneHostPlan(5_000));
  assert.deepEqual([found.status, runs, heard], ["ok", 1, []]);
});
