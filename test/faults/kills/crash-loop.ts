import assert from "node:assert/strict";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { setTimeout as sleep } from "node:timers/promises";
import { atEnd, type TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startWebhookReceiver, type WebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import { startTestAgent, type TestProgram } from "../../run/processes.ts";
import { sendCommand, statusRows } from "../../run/rows.ts";
import { wholeHistory } from "./stored-records.ts";

/** One check as its target received it. */
type CheckStart = { readonly name: string; readonly atMs: number };

/** Number of checked hosts of a crash loop and their intervals. */
export type CheckCadence = { readonly objects: number; readonly intervalMs: number; readonly retryMs: number };

type LoopingAgent = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  /** Checks in order of arrival, with times on the clock of `performance.now()`. */
  readonly starts: readonly CheckStart[];
};

/** Names of the passive hosts with a notification policy. */
const notifyingHosts = Array.from({ length: 20 }, (_, at) => `p${at}`);

const passive = `check: {type: "passive", freshness_threshold: "10h", max_attempts: 1, flap: {enabled: false}}`;

const documentOf = ({ objects, intervalMs, retryMs }: CheckCadence, target: string, hook: string): string => `
contacts: ann: {type: "webhook", url: "${hook}/ann"}
notifications: ops: levels: [{contacts: ["ann"], renotify_interval: "0s"}]
${notifyingHosts.map((name) => `hosts: ${name}: {address: "127.0.0.1", notification: "ops", ${passive}}`).join("\n")}
${numberedHosts(
  objects,
  (at) => `
	address: "127.0.0.1"
	check: {
		type: "http", url: "${target}/h${at}", timeout: "20s", flap: {enabled: false}
		check_interval: "${intervalMs}ms", retry_interval: "${retryMs}ms"
	}
`,
)}
`;

/** Starts an agent with hosts `h0`, `h1` …, checked over HTTP at one target, and 20 passive hosts with notifications. */
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
  atEnd(scope, () => {
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

/** Offset of each checked host's next due time within the interval, ms; waits until every host has a due time. */
export function schedulePhases(
  agent: TestProgram,
  { objects, intervalMs }: CheckCadence,
): Promise<ReadonlyMap<string, number>> {
  return until("every host has a due time", async () => {
    const rows = Object.entries(await statusRows(agent.base, { pageSize: 10_000 }));
    const due = rows.flatMap(([name, { nextCheck }]) =>
      name.startsWith("h") && nextCheck !== undefined ? [[name, Date.parse(nextCheck) % intervalMs] as const] : [],
    );
    return due.length === objects && new Map(due);
  });
}

/** [SC1, SC2] Names of hosts whose offset in the interval has changed. */
export function hostsOffPhase(
  before: ReadonlyMap<string, number>,
  after: ReadonlyMap<string, number>,
  { intervalMs }: CheckCadence,
): string[] {
  // Due times are stored as wall-clock times, which the system corrects, while an agent counts on the monotonic clock.
  const toleranceMs = 200;
  return [...before].flatMap(([name, phase]) => {
    const apart = Math.abs((after.get(name) ?? Number.NaN) - phase);
    return Math.min(apart, intervalMs - apart) <= toleranceMs ? [] : [name];
  });
}

/** Number of checks within a second after the first one since `sinceMs`. */
export function checksInFirstSecond(starts: readonly CheckStart[], sinceMs: number): number {
  const firstMs = starts.find(({ atMs }) => atMs >= sinceMs)?.atMs ?? Number.POSITIVE_INFINITY;
  return starts.filter(({ atMs }) => atMs >= firstMs && atMs < firstMs + 1_000).length;
}

/** Result of a crash loop. */
type CrashLoopCounts = {
  readonly kills: number;
  /** Time from the first to the last kill, s. */
  readonly seconds: number;
  readonly checks: number;
  /** Number of checks of an agent that would have run all the time. */
  readonly due: number;
  /** Number of hosts with a due time and without any check during the loop. */
  readonly unseen: number;
  /** Largest number of checks within a second after the first one of a start. */
  readonly inFirstSecond: number;
  readonly messages: number;
  readonly duplicates: number;
};

type CrashLoopOptions = {
  readonly cadence: CheckCadence;
  readonly kills: number;
  /** Returns the time until the next kill, ms. */
  upMs(): number;
};

/**
 * Kills an agent repeatedly while notifications are sent and hosts are checked. Throws when a due time has changed, more
 * notifications were repeated than agents killed, or history has a gap.
 */
export async function runCrashLoop(
  scope: TestScope,
  { cadence, kills, upMs }: CrashLoopOptions,
): Promise<CrashLoopCounts> {
  const { agent, receiver, starts } = await startLoopingAgent(scope, cadence);
  const phases = await schedulePhases(agent, cadence);
  // An orderly stop writes all due times to disk.
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
    "each host has its former due time",
    async () => {
      moved = hostsOffPhase(phases, await schedulePhases(agent, cadence), cadence);
      return moved.length === 0;
    },
    // Missed checks are made up for before the former due times apply again.
    { withinMs: 3 * cadence.retryMs + 60_000 },
  ).catch((error: unknown) => assert.fail(`${error}; ${moved.length} have not: ${moved.slice(0, 5).join(", ")}`));
  const { messages, duplicates } = await waitForLastNotifications(receiver, submit);
  assert.ok(messages <= decisions, `${messages} notifications of ${decisions} results`);
  assert.ok(duplicates <= kills, `${duplicates} notifications were repeated, over ${kills} kills`);
  const history = await wholeHistory(agent, {});
  assert.ok(
    !history.some(({ type, stoppedAt }) => type === "HISTORY_TYPE_GAP" && stoppedAt === undefined),
    "history has no gap",
  );
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
    duplicates,
  };
}

/** Submits a last problem for all hosts and waits until it is notified: then all earlier notifications are delivered too. */
async function waitForLastNotifications(
  receiver: WebhookReceiver,
  submit: (status: string, output: string) => Promise<unknown>,
): Promise<{ messages: number; duplicates: number }> {
  await submit("OK", "ok at last");
  await submit("CRITICAL", "critical at last");
  const notifications = () => receiver.delivered.flatMap((one) => one.notifications);
  await until("the last problems are notified", () => {
    const last = notifications().filter(({ output, kind }) => kind === "PROBLEM" && output === "critical at last");
    return new Set(last.map(({ object }) => object.name)).size === notifyingHosts.length;
  });
  const ids = notifications().map(({ id }) => id);
  return { messages: new Set(ids).size, duplicates: ids.length - new Set(ids).size };
}

export const formatLoopCounts = (counts: CrashLoopCounts): string =>
  Object.entries(counts)
    .map(([name, count]) => `${name} ${count}`)
    .join(", ");

/** Asserts that SQLite finds no error in the journal's file. The agent has to be stopped. */
function assertJournalIntegrity({ dataDir }: TestProgram): void {
  const db = new DatabaseSync(join(dataDir, "journal.db"), { readOnly: true });
  try {
    const [found] = db.prepare("PRAGMA integrity_check").all();
    assert.equal(found?.["integrity_check"], "ok");
  } finally {
    db.close();
  }
}
