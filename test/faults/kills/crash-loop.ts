import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver, type WebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { type TestScope, type TestProgram, startTestAgent } from "../../run/processes.ts";
import { sendCommand, statusRows } from "../../run/rows.ts";
import { wholeHistory } from "./stored-records.ts";

/** One check as its target saw it. */
export type CheckStart = { readonly name: string; readonly atMs: number };

/** How often the objects of a loop are checked. */
export type CheckCadence = { readonly objects: number; readonly intervalMs: number; readonly retryMs: number };

export type LoopingAgent = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  /** Checks in the order in which they came, on the clock of `performance.now()`. */
  readonly starts: readonly CheckStart[];
};

/** Names of the passive hosts that a contact hears of. */
export const notifyingHosts = Array.from({ length: 20 }, (_, at) => `p${at}`);

const documentOf = ({ objects, intervalMs, retryMs }: CheckCadence, target: string, hook: string): string => `
contacts: ann: {type: "webhook", url: "${hook}/ann"}
notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]
hosts: {for name in [${notifyingHosts.map((name) => `"${name}"`).join(", ")}] {(name): {
	address: "127.0.0.1"
	notification: "ops"
	check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}
}}}
hosts: {for at in [${Array.from({ length: objects }, (_, at) => at).join(", ")}] {"h\\(at)": {
	address: "127.0.0.1"
	check: {
		type: "http", url: "${target}/h\\(at)", timeout: "3s", flap: {enabled: false}
		check_interval: "${intervalMs}ms", retry_interval: "${retryMs}ms"
	}
}}}
`;

/** An agent whose hosts `h0`, `h1` … are checked over HTTP at one target, and 20 passive ones that a contact hears of. */
export async function startLoopingAgent(
  scope: TestScope,
  cadence: CheckCadence,
  env: Readonly<Record<string, string>> = {},
): Promise<LoopingAgent> {
  const starts: CheckStart[] = [];
  const server = createServer((request, response) => {
    starts.push({ name: (request.url ?? "").slice(1), atMs: performance.now() });
    response.end("well");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  scope.after(() => {
    server.closeAllConnections();
    server.close();
  });
  const receiver = await startWebhookReceiver(scope);
  const target = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const agent = await startTestAgent(scope, {
    config: documentOf(cadence, target, receiver.url),
    flags: { "log-level": "error" },
    env,
  });
  return { agent, receiver, starts };
}

/** Where in their interval the checked hosts are due next, ms from its start; waits until each of them has a turn. */
export function schedulePhases(agent: TestProgram, { objects, intervalMs }: CheckCadence): Promise<ReadonlyMap<string, number>> {
  return until("every host has a turn", async () => {
    const rows = Object.entries(await statusRows(agent.base, { pageSize: 10_000 }));
    const due = rows.flatMap(([name, { nextCheck }]) =>
      name.startsWith("h") && nextCheck !== undefined ? [[name, Date.parse(nextCheck) % intervalMs] as const] : [],
    );
    return due.length === objects && new Map(due);
  });
}

/** [SC1, SC2] Names of hosts whose place in their interval is another one than before. */
export function hostsOffPhase(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  { intervalMs }: CheckCadence,
): string[] {
  // Due times are kept on the wall clock, which the system corrects while an agent counts on the other one.
  const toleranceMs = 200;
  return [...before].flatMap(([name, phase]) => {
    const apart = Math.abs((after.get(name) ?? Number.NaN) - phase);
    return Math.min(apart, intervalMs - apart) <= toleranceMs ? [] : [name];
  });
}

/** How many checks came within a second after the first one since `sinceMs`. */
export function checksInFirstSecond(starts: readonly CheckStart[], sinceMs: number): number {
  const firstMs = starts.find(({ atMs }) => atMs >= sinceMs)?.atMs ?? Number.POSITIVE_INFINITY;
  return starts.filter(({ atMs }) => atMs >= firstMs && atMs < firstMs + 1_000).length;
}

/** What came of a loop, to be printed. */
export type CrashLoopCounts = {
  readonly kills: number;
  /** From the first kill until the agent was left alone. */
  readonly seconds: number;
  readonly checks: number;
  /** As many as would have come had the agent run all the time. */
  readonly due: number;
  /** Hosts that the loop left without any check, of those that had a turn. */
  readonly unseen: number;
  /** Most checks within a second of the first one after a restart. */
  readonly inFirstSecond: number;
  readonly messages: number;
  readonly twice: number;
};

export type CrashLoopOptions = {
  readonly cadence: CheckCadence;
  readonly kills: number;
  /** How long the agent lives until the next kill, ms. */
  upMs(): number;
};

/**
 * Kills an agent again and again while contacts are told and hosts are checked. Throws where a due time moved for good,
 * a restart has checks come all at once, more messages came than the kills explain, or the journal has a hole.
 */
export async function runCrashLoop(scope: TestScope, { cadence, kills, upMs }: CrashLoopOptions): Promise<CrashLoopCounts> {
  const { agent, receiver, starts } = await startLoopingAgent(scope, cadence);
  const phases = await schedulePhases(agent, cadence);
  // An orderly end brings each due time to the disk.
  await agent.restart();
  const killsAtMs: number[] = [];
  let decisions = 0;
  const submit = (status: string, output: string): Promise<unknown> => {
    decisions += notifyingHosts.length;
    const results = notifyingHosts.map((name) => ({ object: { host: { name } }, status: `STATUS_${status}`, output }));
    return sendCommand(agent.base, "ProcessCheckResults", { results });
  };
  for (let kill = 0; kill < kills; kill += 1) {
    const submitted = submit(kill % 2 === 0 ? "CRITICAL" : "OK", `kill ${kill}`).catch(() => undefined);
    await sleep(upMs());
    killsAtMs.push(performance.now());
    await agent.stop("SIGKILL");
    await submitted;
    await agent.restart();
  }
  const endedMs = performance.now();
  const startedMs = killsAtMs[0] ?? endedMs;
  let moved: string[] = [];
  await until(
    "each host is due where it was",
    async () => {
      moved = hostsOffPhase(phases, await schedulePhases(agent, cadence), cadence);
      return moved.length === 0;
    },
    // What was missed is made up for before the old places show again.
    { withinMs: 3 * cadence.retryMs + 15_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${moved.length} are not: ${moved.slice(0, 5).join(", ")}`));
  const { messages, twice } = await waitForLastNotifications(receiver, submit);
  assert.ok(messages <= decisions, `${messages} messages of ${decisions} decisions`);
  assert.ok(twice <= kills, `${twice} messages came again, over ${kills} kills`);
  const history = await wholeHistory(agent, {});
  assert.ok(!history.some(({ type }) => type === "HISTORY_TYPE_GAP"), "history has no gap");
  await agent.stop();
  assertJournalIntegrity(agent);
  const during = starts.filter(({ atMs }) => atMs >= startedMs && atMs < endedMs);
  const seen = new Set(during.map(({ name }) => name));
  return {
    kills,
    seconds: Math.round((endedMs - startedMs) / 1_000),
    checks: during.length,
    due: Math.round((cadence.objects * (endedMs - startedMs)) / cadence.intervalMs),
    unseen: Math.round(cadence.objects * Math.min(1, (endedMs - startedMs) / cadence.intervalMs)) - seen.size,
    inFirstSecond: Math.max(...killsAtMs.map((atMs) => checksInFirstSecond(starts, atMs))),
    messages,
    twice,
  };
}

/** Breaks all hosts once more, and waits until their contact knows of it; so it knows of all that was before. */
async function waitForLastNotifications(
  receiver: WebhookReceiver,
  submit: (status: string, output: string) => Promise<unknown>,
): Promise<{ messages: number; twice: number }> {
  await submit("OK", "well at last");
  await submit("CRITICAL", "broken at last");
  const told = () => receiver.delivered.flatMap((one) => one.notifications);
  await until("the last problems are told", () => {
    const last = told().filter(({ output, kind }) => kind === "PROBLEM" && output === "broken at last");
    return new Set(last.map(({ object }) => object.name)).size === notifyingHosts.length;
  });
  const ids = told().map(({ id }) => id);
  return { messages: new Set(ids).size, twice: ids.length - new Set(ids).size };
}

export const formatLoopCounts = (counts: CrashLoopCounts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

/** What the journal's file says of itself: nobody has it open. */
export function assertJournalIntegrity({ dataDir }: TestProgram): void {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    const [found] = db.prepare("PRAGMA integrity_check").all();
    assert.equal(found?.["integrity_check"], "ok");
  } finally {
    db.close();
  }
}
