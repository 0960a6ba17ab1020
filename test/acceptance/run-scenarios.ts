import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { after, before, suite, test } from "node:test";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../run/call.ts";
import { type AgentStartOptions, type TestScope, type RunningProgram, startTestAgent, tempFolder } from "../run/processes.ts";
import { sendCommand } from "../run/rows.ts";
import { scenarioDocument, scenarioPrefix } from "./scenario-document.ts";
import { type Barrier, runScenario } from "./run-scenario.ts";
import { startWebhookReceiver, type WebhookReceiver } from "./webhook-receiver.ts";
import type { Scenario, ScenarioContext } from "./scenario.ts";

/** What happens to the agent itself. */
export type ScenarioAgent = {
  readonly agent: RunningProgram;
  /** Writes the document anew, each scenario's piece as `config` answers it, has it read, and waits until it runs. */
  reload(config: (scenario: Scenario) => string): Promise<void>;
};

type ScenarioRun = {
  readonly scenarios: readonly Scenario[];
  /** Waits for every scenario's time line, happens once, and lets all of them go on. */
  readonly breaks?: readonly { readonly atS: number; act(whole: ScenarioAgent): Promise<void> }[];
  readonly start?: Omit<AgentStartOptions, "config">;
};

type StartedScenarios = {
  readonly agent: RunningProgram;
  readonly receiver: WebhookReceiver;
  readonly plays: readonly Promise<void>[];
};

/** Plays scenarios side by side in one agent, a test each, and compares the agent's own history with what arrived. */
export function runScenarios(title: string, { scenarios, breaks = [], start = {} }: ScenarioRun): void {
  suite(title, () => {
    const ends: (() => void | Promise<void>)[] = [];
    let playing: StartedScenarios | undefined;
    before(async () => {
      playing = await begin({ after: (end) => void ends.push(end) });
    });
    after(async () => {
      for (const end of ends.reverse()) await end();
    });
    for (const [at, { name }] of scenarios.entries()) test(name, () => playing?.plays[at]);
    test(`[I3, I4] ${title}: history has each message that arrived, and none arrived twice`, async () => {
      assert.ok(playing);
      await Promise.allSettled(playing.plays);
      await agrees(playing);
    });
  });

  async function begin(owner: TestScope): Promise<StartedScenarios> {
    const receiver = await startWebhookReceiver(owner);
    const config = `${tempFolder(owner, "acceptance")}/config.cue`;
    writeFileSync(config, scenarioDocument(scenarios, receiver.url));
    const agent = await startTestAgent(owner, { ...start, config });
    const whole: ScenarioAgent = {
      agent,
      async reload(piece) {
        const before = reloads(agent);
        writeFileSync(config, scenarioDocument(scenarios, receiver.url, piece));
        agent.signal("SIGHUP");
        await until("the document was read again", () => reloads(agent) > before);
      },
    };
    const gates = breaks.map(({ atS, act }) => gate(atS, scenarios.length, () => act(whole)));
    const plays = scenarios.map(async (each, at) => {
      // All of them at the same instant would only measure who comes first.
      await sleep(at * 20);
      try {
        await runScenario(each, stageOf(at, agent, receiver), gates);
      } finally {
        for (const { leave } of gates) leave(at);
      }
    });
    // Each is awaited by its own test, which may come long after it failed.
    for (const one of plays) one.catch(() => {});
    return { agent, receiver, plays };
  }
}

const reloads = (agent: RunningProgram): number => agent.output().split('"msg":"the configuration').length;

function stageOf(at: number, agent: RunningProgram, receiver: WebhookReceiver): ScenarioContext {
  return {
    agent,
    receiver,
    fullName: (name) => scenarioPrefix(at) + name,
    send: async (rpc, request) => (await sendCommand(agent.base, rpc, request)).body,
    savedIds: new Map(),
  };
}

/** Opens once all have arrived who have not left. */
function gate(atS: number, count: number, act: () => Promise<void>): Barrier & { leave(who: number): void } {
  const opened = Promise.withResolvers<void>();
  const gone = new Set<number>();
  let arrived = 0;
  let begun = false;
  const look = (): void => {
    if (begun || arrived === 0 || arrived + gone.size < count) return;
    begun = true;
    act().then(opened.resolve, opened.reject);
  };
  opened.promise.catch(() => {});
  return {
    atS,
    arrive() {
      arrived += 1;
      look();
      return opened.promise;
    },
    leave(who) {
      if (begun) return;
      gone.add(who);
      look();
    },
  };
}

type HistoryJson = { readonly type: string; readonly contact?: string; readonly notificationKind?: string };

async function historyOf(agent: RunningProgram, type: string): Promise<HistoryJson[]> {
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

const showKind = ({ contact = "", notificationKind = "" }: HistoryJson): string =>
  `${contact} ${notificationKind.replace("NOTIFICATION_KIND_", "")}`;

/** Every decision arrived, failed or was cancelled, and nothing else did. */
async function agrees({ agent, receiver }: StartedScenarios): Promise<void> {
  const ids = receiver.delivered.flatMap(({ notifications }) => notifications.map(({ id }) => id));
  assert.equal(new Set(ids).size, ids.length, "a notification arrived twice");
  for (const { key, id } of receiver.delivered) assert.equal(key, id);
  const arrived = receiver.delivered.flatMap(({ contact, notifications }) => notifications.map(({ kind }) => `${contact} ${kind}`));
  const failed = await historyOf(agent, "NOTIFICATION_FAILED");
  const suppressed = await historyOf(agent, "NOTIFICATION_SUPPRESSED");
  const cancelled = suppressed.filter(({ contact = "" }) => contact !== "");
  const decided = await historyOf(agent, "NOTIFICATION");
  const ended = [...arrived, ...[...failed, ...cancelled].map(showKind)];
  assert.deepEqual(ended.sort(), decided.map(showKind).sort());
}
