import assert from "node:assert/strict";
import { test } from "node:test";
import type { ContactPlan } from "@realmwatch/shared/config/plan";
import type { Log } from "@realmwatch/shared/platform/log/log";
import { openMetrics } from "@realmwatch/shared/platform/metrics/metrics";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { commonContactFields, noDeliverySettings } from "../contacts/contact-dependencies.fixture.ts";
import { openHttpReceiver } from "../contacts/http/http-receiver.fixture.ts";
import { problemNotification } from "../contacts/notification.fixture.ts";
import type { AgentFlags } from "../flags.ts";
import { openOutboundActions } from "../outbound-actions.ts";
import { manualRight } from "../platform/right/manual-right.fixture.ts";
import { realmPlan } from "../realm/fixtures/realm-plan.fixture.ts";
import { recoverRealm } from "../realm/open-realm.ts";

for (const isMember of [true, false])
  test(`[PA43] notifications of the journal are ${isMember ? "marked in a pair" : "not marked without a pair"}`, async () => {
    await using receiver = await openHttpReceiver();
    const own = { name: "ann", type: "webhook", url: receiver.url, groupWaitMs: 0 } as const;
    const contacts = new Map<string, ContactPlan>([["ann", { ...commonContactFields, ...own }]]);
    const stored = { states: new Map(), program: undefined, commands: [], lastCommandSeq: 0 };
    const plan = realmPlan([], { contacts });
    const metrics = openMetrics({ version: "0", commit: "unknown" });
    const outbound = openOutboundActions({
      flags: { ...noDeliverySettings, realm: "fra" } as unknown as AgentFlags,
      log: { info() {}, warn() {}, error() {} } as unknown as Log,
      ...{ clock: systemClock, metrics },
      recovered: recoverRealm({ name: "fra", plan, clock: systemClock, epoch: 1, stored }),
      run: () => assert.fail("no handler runs"),
      right: isMember ? manualRight(systemClock) : undefined,
    });
    outbound.resume([problemNotification({ id: "old" })]);
    await until("the first one arrived", () => receiver.received.length === 1);
    const [entry] = receiver.received[0]?.body.notifications ?? [];
    assert.deepEqual([entry.id, entry.possibleDuplicate ?? false], ["old", isMember]);
    await outbound.close(0);
    metrics.close();
  });
