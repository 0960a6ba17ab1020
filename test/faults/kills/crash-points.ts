import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { type SeededRandom, seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import {
  type DeliveredMessage,
  startWebhookReceiver,
  type WebhookReceiver,
} from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { numberedHosts } from "../../run/numbered-hosts.ts";
import { startTestAgent, type TestProgram } from "../../run/processes.ts";

export const crashPoints: readonly Failpoint[] = [
  "before-intent",
  "after-intent",
  "after-connect",
  "before-sent",
  "after-sent",
];

type CrashingAgent = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  /** Restarts the agent so that it crashes at the `count`-th pass of `point`, or never. It may crash while it starts. */
  restartWith(point?: Failpoint, count?: number): Promise<void>;
  isAlive(): boolean;
  waitForCrash(): Promise<void>;
};

const passive = `check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}`;

const documentOf = (hosts: number, contacts: readonly string[], url: string): string => `
contacts: {${contacts.map((name) => `${name}: {type: "webhook", url: "${url}/${name}"}`).join(", ")}}
notifications: ops: levels: [{contacts: [${contacts.map((name) => `"${name}"`).join(", ")}], renotify_interval: "0s"}]
${numberedHosts(hosts, () => `address: "127.0.0.1", notification: "ops", ${passive}`)}
`;

/** Starts an agent with passive hosts `h0`, `h1` …, all with a notification policy. */
export async function startCrashingAgent(
  scope: TestScope,
  { hosts, contacts }: { readonly hosts: number; readonly contacts: readonly string[] },
): Promise<CrashingAgent> {
  const receiver = await startWebhookReceiver(scope);
  const env: Record<string, string> = { NODE_ENV: "test", FAULT: "" };
  const agent = await startTestAgent(scope, { config: documentOf(hosts, contacts, receiver.url), env });
  const isAlive = (): boolean => {
    try {
      return process.kill(agent.pid, 0);
    } catch {
      return false;
    }
  };
  return {
    agent,
    receiver,
    isAlive,
    async restartWith(point, count = 1) {
      env["FAULT"] = point === undefined ? "" : `${point}:${count}`;
      await agent.stop();
      // An agent that crashes while it starts never becomes live, as requested.
      await agent.restart().catch((error: unknown) => {
        if (isAlive() || point === undefined) throw error;
      });
    },
    waitForCrash: () => until("the agent crashed", () => !isAlive()).then(() => undefined),
  };
}

/** Submits one status for all hosts. Resolves to true when it was accepted; the agent may crash before. */
export async function submitForAllHosts({ agent }: CrashingAgent, hosts: number, status: string): Promise<boolean> {
  const results = Array.from({ length: hosts }, (_, at) => ({
    object: { host: { name: `h${at}` } },
    status: `STATUS_${status}`,
    output: status,
  }));
  try {
    return (await call(agent.base, "CommandService/ProcessCheckResults", { results })).ok;
  } catch {
    return false;
  }
}

/** Number of deliveries of each notification by id. Throws when two deliveries of one differ. */
export function countDeliveries(delivered: readonly DeliveredMessage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const texts = new Map<string, string>();
  for (const { contact, notifications } of delivered)
    for (const one of notifications) {
      const text = JSON.stringify([contact, one]);
      assert.equal(texts.get(one.id) ?? text, text, "a repetition has other content");
      texts.set(one.id, text);
      counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
    }
  return counts;
}

/** Kinds notified to each contact of each host, without repetitions: `ann h1` to `PROBLEM RECOVERY PROBLEM …`. */
export function notificationSequences(delivered: readonly DeliveredMessage[]): ReadonlyMap<string, string> {
  const seen = new Set<string>();
  const sequences = new Map<string, string>();
  for (const { contact, notifications } of delivered)
    for (const { id, kind, object } of notifications) {
      if (seen.has(id)) continue;
      seen.add(id);
      const key = `${contact} ${object.name}`;
      sequences.set(key, sequences.has(key) ? `${sequences.get(key)} ${kind}` : kind);
    }
  return sequences;
}

/** Submits a status for all hosts and kills the agent: at a crash point, or by a signal at a random time. */
async function crashOnce(
  under: CrashingAgent,
  { hosts, status, random }: { hosts: number; status: string; random: SeededRandom },
): Promise<void> {
  // One more value than there are points: then only the signal kills the agent.
  const point = crashPoints[Math.floor(random.upTo(crashPoints.length + 1))];
  // A batch of results passes the first points once, connections and ends of deliveries pass theirs many times.
  const passes = point === "after-connect" || point === "before-sent" || point === "after-sent" ? 40 : 1;
  await under.restartWith(point, 1 + Math.floor(random.upTo(passes)));
  const killTimer = setTimeout(() => void under.agent.stop("SIGKILL"), 50 + random.upTo(1_500));
  if (under.isAlive()) await submitForAllHosts(under, hosts, status);
  await under.waitForCrash();
  clearTimeout(killTimer);
}

/**
 * Crashes the agent `crashes` times while all hosts fail and recover in turn. After each crash asserts that every
 * notification was delivered, and none a third time.
 *
 * @returns number of notifications that were delivered twice
 */
export async function crashRepeatedly(t: TestContext, crashes: number, { hosts = 50 } = {}): Promise<number> {
  const random = seededRandom(testSeed(t));
  const contacts = ["ann", "bea"];
  const under = await startCrashingAgent(t, { hosts, contacts });
  const { delivered } = under.receiver;
  const expected: string[] = [];
  for (let crash = 0; crash < crashes; crash += 1) {
    const [status, kind] = crash % 2 === 0 ? ["CRITICAL", "PROBLEM"] : ["OK", "RECOVERY"];
    expected.push(kind);
    await crashOnce(under, { hosts, status, random });
    await under.restartWith();
    await until("the results are accepted", () => submitForAllHosts(under, hosts, status));
    const isNotified = (): boolean => {
      const sequences = [...notificationSequences(delivered).values()];
      return sequences.length === hosts * contacts.length && sequences.every((one) => one === expected.join(" "));
    };
    await until("all contacts are notified", isNotified);
    const counts = countDeliveries(delivered);
    assert.equal(counts.size, hosts * contacts.length * expected.length, "one notification for each status change");
    for (const [id, times] of counts) assert.ok(times <= 2, `${id} was delivered ${times} times, over one crash`);
  }
  return [...countDeliveries(delivered).values()].filter((times) => times > 1).length;
}
