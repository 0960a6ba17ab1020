import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";
import { receiveNotifications } from "@realmwatch/shared/platform/process/notify-socket.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startNats, startTestAgent, startTestAggregator, tempFolder } from "../run/processes.ts";

const programs = {
  agent: (t: TestScope, env: Readonly<Record<string, string>>) =>
    startTestAgent(t, { config: "hosts: {}\n", realm: "fra", env }),
  aggregator: async (t: TestScope, env: Readonly<Record<string, string>>) => {
    const nats = await startNats(t);
    const realms = 'realms: fra: url: "http://127.0.0.1:9"\n';
    return startTestAggregator(t, { realms, flags: { "nats-url": nats.url }, env });
  },
};

for (const [name, start] of Object.entries(programs))
  test(`[SV1, SV2] systemd is notified when the ${name} is ready, while it runs, and when it stops`, async (t) => {
    const socket = join(tempFolder(t, "notify"), "socket");
    const take = receiveNotifications(socket, t);
    const received: string[] = [];
    const has = (pattern: RegExp) => () => {
      received.push(...take());
      return received.some((text) => pattern.test(text));
    };
    const program = await start(t, { NOTIFY_SOCKET: socket, WATCHDOG_USEC: "200000" });
    await until("READY=1 with a status", has(/^READY=1\nSTATUS=.*127\.0\.0\.1:\d+$/));
    received.length = 0;
    await until("the watchdog is notified again", has(/^WATCHDOG=1$/));
    assert.equal(await program.stop(), 0);
    assert.ok(has(/^STOPPING=1$/)(), received.join("; "));
  });
