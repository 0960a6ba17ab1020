import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import type { Failpoint } from "@realmwatch/shared/platform/process/failpoint";
import { type SeededRandom, seededRandom, testSeed } from "@realmwatch/shared/platform/testing/seeded-random.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type DeliveredMessage, startWebhookReceiver, type WebhookReceiver } from "../../acceptance/webhook-receiver.ts";
import { call } from "../../run/call.ts";
import { type TestScope, type TestProgram, startTestAgent } from "../../run/processes.ts";

export const crashPoints: readonly Failpoint[] = [
  "before-intent",
  "after-intent",
  "after-connect",
  "before-sent",
  "after-sent",
];

export type CrashingAgent = {
  readonly agent: TestProgram;
  readonly receiver: WebhookReceiver;
  /** Starts it anew to crash at `point`, the `count`-th time; or not at all. It may end before it answers anything. */
  restartWith(point?: Failpoint, count?: number): Promise<void>;
  /** Whether it runs. */
  isAlive(): boolean;
  waitForCrash(): Promise<void>;
};

const documentOf = (hosts: number, contacts: readonly string[], url: string): string => `
contacts: {${contacts.map((name) => `${name}: {type: "webhook", url: "${url}/${name}"}`).join(", ")}}
notifications: ops: levels: [{contacts: [${contacts.map((name) => `"${name}"`).join(", ")}], renotify_interval: "0s"}]
hosts: {for at in [${Array.from({ length: hosts }, (_, at) => at).join(", ")}] {"h\\(at)": {
	address: "127.0.0.1"
	notification: "ops"
	check: {type: "passive", freshness_threshold: "1h", max_attempts: 1, flap: {enabled: false}}
}}}
`;

/** An agent with passive hosts `h0`, `h1` …, whose contacts hear of each of them. */
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
      // One that crashes while it starts is never live, which is what was asked for.
      await agent.restart().catch((error: unknown) => {
        if (isAlive() || point === undefined) throw error;
      });
    },
    waitForCrash: () => until("the agent crashed", () => !isAlive()).then(() => undefined),
  };
}

/** Submits one status for all hosts. Answers whether it was taken; a crash may have come in between. */
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

/** How often each notification arrived, and that all arrivals of one say the same. */
export function countDeliveries(arrivals: readonly DeliveredMessage[]): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  const texts = new Map<string, string>();
  for (const { contact, notifications } of arrivals)
    for (const one of notifications) {
      const text = JSON.stringify([contact, one]);
      assert.equal(texts.get(one.id) ?? text, text, "a repetition says something else");
      texts.set(one.id, text);
      counts.set(one.id, (counts.get(one.id) ?? 0) + 1);
    }
  return counts;
}

/** [I3, I5] What each contact was told of each host, repetitions left out: `ann h1` to `PROBLEM RECOVERY PROBLEM …`. */
export function notificationSequences(arrivals: readonly DeliveredMessage[]): ReadonlyMap<string, string> {
  const seen = new Set<string>();
  const tales = new Map<string, string>();
  for (const { contact, notifications } of arrivals)
    for (const { id, kind, object } of notifications) {
      if (seen.has(id)) continue;
      seen.add(id);
      const who = `${contact} ${object.name}`;
      tales.set(who, tales.has(who) ? `${tales.get(who)} ${kind}` : kind);
    }
  return tales;
}

/** Breaks all hosts, or has them recover, while the agent is killed: at a crash point, or from outside at any moment. */
async function crashOnce(
  under: CrashingAgent,
  { hosts, status, random }: { hosts: number; status: string; random: SeededRandom },
): Promise<void> {
  // One more than there are points: that one leaves it to the outside.
  const point = crashPoints[Math.floor(random.upTo(crashPoints.length + 1))];
  // A batch of results is one intent; connections and ends of deliveries there are many.
  const passes = point === "after-connect" || point === "before-sent" || point === "after-sent" ? 40 : 1;
  await under.restartWith(point, 1 + Math.floor(random.upTo(passes)));
  const fromOutside = setTimeout(() => void under.agent.stop("SIGKILL"), 50 + random.upTo(1_500));
  if (under.isAlive()) await submitForAllHosts(under, hosts, status);
  await under.waitForCrash();
  clearTimeout(fromOutside);
}

/**
 * Crashes the agent `crashes` times while all hosts break and recover in turn. After each crash nobody has missed
 * anything, and nothing came a third time.
 *
 * @returns how many messages came twice
 */
export async function crashRepeatedly(t: TestContext, crashes: number, { hosts = 50 } = {}): Promise<number> {
  const random = seededRandom(testSeed(t));
  const contacts = ["ann", "bea"];
  const under = await startCrashingAgent(t, { hosts, contacts });
  const { delivered } = under.receiver;
  const tale: string[] = [];
  for (let crash = 0; crash < crashes; crash += 1) {
    const [status, kind] = crash % 2 === 0 ? ["CRITICAL", "PROBLEM"] : ["OK", "RECOVERY"];
    tale.push(kind);
    await crashOnce(under, { hosts, status, random });
    await under.restartWith();
    await until("the results are taken", () => submitForAllHosts(under, hosts, status));
    const isTold = (): boolean => {
      const tales = [...notificationSequences(delivered).values()];
      return tales.length === hosts * contacts.length && tales.every((one) => one === tale.join(" "));
    };
    await until("everybody is told", isTold, { withinMs: 30_000 });
    const counts = countDeliveries(delivered);
    assert.equal(counts.size, hosts * contacts.length * tale.length, "as many notifications as decisions");
    for (const [id, times] of counts) assert.ok(times <= 2, `${id} came ${times} times, and it saw one crash`);
  }
  return [...countDeliveries(delivered).values()].filter((times) => times > 1).length;
}
