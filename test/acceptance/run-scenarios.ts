import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { fileScope, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { type AgentStartOptions, startTestAgent, type TestProgram, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { type Barrier, runScenario } from "./run-scenario.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";
import { scenarioDocument, scenarioPrefix } from "./scenario-document.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";

/** Agent that runs scenarios, with the means to change all of it. */
export type ScenarioAgent = {
  readonly agent: TestProgram;
  /** Rewrites the document with `config` of each scenario, reloads the agent and waits until the new one is in use. */
  reload(config: (scenario: Scenario) => string): Promise<void>;
};

type ScenarioRun = {
  readonly scenarios: readonly Scenario[];
  /** Actions on the agent itself: each runs once all scenarios have reached its time, and they wait for its end. */
  readonly barriers?: readonly { readonly atS: number; action(target: ScenarioAgent): Promise<void> }[];
  readonly start?: Omit<AgentStartOptions, "config">;
};

type StartedScenarios = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  readonly runs: readonly Promise<void>[];
};

/** Runs scenarios concurrently in one agent, as a test each, and compares the agent's history with the deliveries. */
export function runScenarios(title: string, { scenarios, barriers = [], start = {} }: ScenarioRun): void {
  suite(title, () => {
    const scope = fileScope();
    let started: StartedScenarios | undefined;
    before(async () => {
      started = await begin(scope);
    });
    for (const [at, { name }] of scenarios.entries()) test(name, () => started?.runs[at]);
    test(`[DL1] ${title}: each notification of history has one end, and none is delivered twice`, async () => {
      assert.ok(started);
      await Promise.allSettled(started.runs);
      await assertHistoryMatches(started);
    });
  });

  async function begin(scope: TestScope): Promise<StartedScenarios> {
    const receiver = await startWebhookReceiver(scope);
    const config = `${tempFolder(scope, "acceptance")}/config.cue`;
    writeFileSync(config, scenarioDocument(scenarios, receiver.url));
    const agent = await startTestAgent(scope, { ...start, config });
    const target: ScenarioAgent = {
      agent,
      async reload(configOf) {
        const before = reloads(agent);
        writeFileSync(config, scenarioDocument(scenarios, receiver.url, configOf));
        agent.signal("SIGHUP");
        await until("the document was read again", () => reloads(agent) > before);
      },
    };
    const gates = barriers.map(({ atS, action }) => openBarrier(atS, scenarios.length, () => action(target)));
    const runs = scenarios.map(async (each, at) => {
      // Staggered: all at the same instant would make the order of the first calls random.
      await sleep(at * 20);
      try {
        await runScenario(each, contextOf(at, agent, receiver), gates);
      } finally {
        for (const { leave } of gates) leave(at);
      }
    });
    // Each is awaited by its own test, which may run long after the scenario failed.
    for (const one of runs) one.catch(() => {});
    return { agent, receiver, runs };
  }
}

const reloads = (agent: TestProgram): number => agent.output().split('"msg":"the configuration').length;

function contextOf(at: number, agent: TestProgram, receiver: WebhookReceiver): ScenarioContext {
  return {
    agent,
    receiver,
    fullName: (name) => scenarioPrefix(at) + name,
    send: async (rpc, request) => (await sendCommand(agent.base, rpc, request)).body,
    savedIds: new Map(),
  };
}

/** Barrier whose action starts once every scenario has arrived or ended. */
function openBarrier(
  atS: number,
  count: number,
  action: () => Promise<void>,
): Barrier & { leave(scenario: number): void } {
  const opened = Promise.withResolvers<void>();
  const left = new Set<number>();
  let arrived = 0;
  let begun = false;
  const startIfComplete = (): void => {
    if (begun || arrived === 0 || arrived + left.size < count) return;
    begun = true;
    action().then(opened.resolve, opened.reject);
  };
  opened.promise.catch(() => {});
  return {
    atS,
    arrive() {
      arrived += 1;
      startIfComplete();
      return opened.promise;
    },
    leave(scenario) {
      if (begun) return;
      left.add(scenario);
      startIfComplete();
    },
  };
}

type HistoryJson = { readonly type: string; readonly contact?: string; readonly notificationKind?: string };

async function historyOf(agent: TestProgram, type: string): Promise<HistoryJson[]> {
  const all: HistoryJson[] = [];
  let pageToken = "";
  do {
    const request = { types: [`HISTORY_TYPE_${type}`], pageSize: 1_000, pageToken };
    const { body } = await call(agent.base, "QueryService/ListHistory", request);
    all.push(...((body["records"] ?? []) as HistoryJson[]));
    pageToken = String(body["nextPageToken"] ?? "");
  } while (pageToken !== "");
  return all;
}

const formatKind = ({ contact = "", notificationKind = "" }: HistoryJson): string =>
  `${contact} ${notificationKind.replace("NOTIFICATION_KIND_", "")}`;

/** Asserts that every notification of history was delivered, failed or was cancelled, and that no other arrived. */
async function assertHistoryMatches({ agent, receiver }: StartedScenarios): Promise<void> {
  const ids = receiver.delivered.flatMap(({ notifications }) => notifications.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "a notification was delivered twice");
  for (const { key, id } of receiver.delivered) assert.equal(key, id);
  const arrived = receiver.delivered.flatMap(({ contact, notifications }) =>
    notifications.map(({ kind }) => `${contact} ${kind}`),
  );
  const failed = await historyOf(agent, "NOTIFICATION_FAILED");
  const suppressed = await historyOf(agent, "NOTIFICATION_SUPPRESSED");
  const cancelled = suppressed.filter(({ contact = "" }) => contact !== "");
  const decided = await historyOf(agent, "NOTIFICATION_QUEUED");
  const ended = [...arrived, ...[...failed, ...cancelled].map(formatKind)];
  assert.deepEqual(ended.sort(), decided.map(formatKind).sort());
}
