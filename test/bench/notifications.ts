import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type DeliveredMessage, startWebhookReceiver, type WebhookReceiver } from "../acceptance/webhook-receiver.ts";
import { type TestScope, type TestProgram, startTestAgent, startTcpTarget } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";
import type { BenchRow } from "./bench-row.ts";

/** Passive services that break together: hosts, and services of each. */
const [hosts, servicesEach] = [500, 20];
/** Ports that are looked at each second meanwhile. */
const looks = 200;
const firstMessages = 200;
const patience = { withinMs: 120_000 };

const webhook = (name: string, { url }: WebhookReceiver): string => `${name}: {type: "webhook", url: "${url}/${name}"}`;
const policy = (name: string, ...contacts: readonly string[]): string =>
  `${name}: levels: [{contacts: [${contacts.map((each) => `"${each}"`).join(", ")}], renotify_interval: "0s"}]`;
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Crowds of services for one fast contact, for one beside another that hangs, and single hosts in between. */
const documentOf = (receiver: WebhookReceiver, target: string): string => `
#passive: {type: "passive", freshness_threshold: "24h", max_attempts: 1, flap: {enabled: false}}
contacts: {${["fast", "good", "hung"].map((name) => webhook(name, receiver)).join(", ")}}
notifications: {${policy("crowd", "fast")}, ${policy("beside", "hung", "good")}, ${policy("single", "fast")}}
hosts: {
	${many(hosts, (at) => `c${at}: {address: "a", check: #passive, services: {${many(servicesEach, (n) => `s${n}: {notification: "crowd", check: #passive}`).join(", ")}}}`).join("\n\t")}
	${many(1_000, (at) => `b${at}: {address: "a", notification: "beside", check: #passive}`).join("\n\t")}
	${many(firstMessages, (at) => `f${at}: {address: "a", notification: "single", check: #passive}`).join("\n\t")}
	looks: {address: "127.0.0.1", check: #passive, services: {${many(
    looks,
    (at) =>
      `p${at}: check: {type: "tcp", address: "${target}", check_interval: "1s", retry_interval: "1s", timeout: "5s", flap: {enabled: false}}`,
  ).join(", ")}}}
}
`;

/** From a result to the webhook of a running agent, while it looks at ports each second. */
export async function benchNotifications(): Promise<BenchRow[]> {
  const ends: (() => void | Promise<void>)[] = [];
  const scope: TestScope = { after: (end) => void ends.push(end) };
  try {
    const receiver = await startWebhookReceiver(scope);
    const target = await startTcpTarget(scope);
    receiver.setBehaviour("hung", "hang");
    const agent = await startTestAgent(scope, { config: documentOf(receiver, target.address) });
    await until("every port was looked at", () => areLooked(agent), patience);
    const looking = `while ${looks} ports are looked at each second`;
    const first = await firstMessagesOf(agent, receiver);
    const beside = await timeCrowd(agent, {
      receiver,
      contact: "good",
      refs: many(1_000, (at) => ({ host: { name: `b${at}` } })),
    });
    const services = many(hosts * servicesEach, (at) => ({
      service: { host: `c${Math.floor(at / servicesEach)}`, name: `s${at % servicesEach}` },
    }));
    const before = await lateness(agent);
    const crowd = await timeCrowd(agent, { receiver, contact: "fast", refs: services });
    const after = await lateness(agent);
    const checks = after.count - before.count;
    const late = (after.sumS - before.sumS) / Math.max(1, checks);
    return [
      {
        name: "first message, median",
        rate: quantile(first, 0.5),
        unit: "ms",
        note: `from sending the result; ${looking}`,
      },
      { name: "first message, 99th of 100", rate: quantile(first, 0.99), unit: "ms" },
      { name: "first message, slowest", rate: quantile(first, 1), unit: "ms", note: `of ${firstMessages}` },
      { name: `${services.length} messages`, rate: crowd.tookS, unit: "s", note: `to one webhook, ${looking}` },
      { name: "rate", rate: services.length / crowd.tookS, unit: "messages/s" },
      { name: "checks meanwhile", rate: checks / crowd.tookS, unit: "checks/s", note: `${looks} are due` },
      { name: "their lateness", rate: late * 1_000, unit: "ms" },
      {
        name: "1 000 messages beside a contact that hangs",
        rate: beside.tookS,
        unit: "s",
        note: `${receiver.attempts("hung")} requests of the other one hang`,
      },
    ];
  } finally {
    for (const end of ends.reverse()) await end();
  }
}

async function areLooked({ base }: TestProgram): Promise<boolean> {
  const rows = Object.values(await statusRows(base, { selector: "@type=tcp", pageSize: 1_000 }));
  return rows.length === looks && rows.every(({ status }) => status === "STATUS_OK");
}

/** How long each of some hosts' first messages took, ms, in order of length. */
async function firstMessagesOf(agent: TestProgram, receiver: WebhookReceiver): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < firstMessages; at += 1) {
    const name = `f${at}`;
    const startedMs = performance.now();
    await sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name } }, status: "STATUS_CRITICAL" });
    const isIt = ({ notifications }: DeliveredMessage): boolean => notifications[0]?.object.name === name;
    const arrival = await until(`${name} is told`, () => receiver.delivered.findLast(isIt), patience);
    took.push(arrival.atMs - startedMs);
  }
  return took.sort((one, other) => one - other);
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** From the first result of a crowd to the arrival of its last message. */
async function timeCrowd(
  { base }: TestProgram,
  { receiver, contact, refs }: { receiver: WebhookReceiver; contact: string; refs: readonly object[] },
): Promise<{ readonly tookS: number }> {
  const had = toldTo(receiver, contact).length;
  const startedMs = performance.now();
  for (let from = 0; from < refs.length; from += 1_000) {
    const results = refs
      .slice(from, from + 1_000)
      .map((object) => ({ object, status: "STATUS_CRITICAL", output: "down" }));
    await sendCommand(base, "ProcessCheckResults", { results });
  }
  await until(`${contact} knows all`, () => toldTo(receiver, contact).length === had + refs.length, patience);
  return { tookS: ((toldTo(receiver, contact).at(-1)?.atMs ?? Number.NaN) - startedMs) / 1_000 };
}

const toldTo = ({ delivered }: WebhookReceiver, contact: string): DeliveredMessage[] =>
  delivered.filter((arrival) => arrival.contact === contact);

/** How late checks began, in all: seconds and checks. */
async function lateness({ base }: TestProgram): Promise<{ readonly sumS: number; readonly count: number }> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const read = (name: string): number =>
    Number(new RegExp(`check_latency_seconds_${name} ([\\d.e+-]+)`).exec(text)?.[1]);
  return { sumS: read("sum"), count: read("count") };
}
