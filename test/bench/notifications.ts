import { openScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { type DeliveredMessage, startWebhookReceiver, type WebhookReceiver } from "../acceptance/webhook-receiver.ts";
import { startTcpTarget, startTestAgent, type TestProgram } from "../run/processes.ts";
import { sendCommand, statusRows } from "../run/rows.ts";
import type { BenchRow } from "./bench-row.ts";
import { sized } from "./runner/bench-size.ts";

/** Number of hosts and of passive services of each that fail together. */
const [hosts, servicesEach] = [sized(500, 100), 20];
/** Number of ports that are checked every second meanwhile. */
const checkedPorts = 200;
const firstNotifications = sized(200, 50);
const limit = { withinMs: 120_000 };

const webhook = (name: string, { url }: WebhookReceiver): string => `${name}: {type: "webhook", url: "${url}/${name}"}`;
const policy = (name: string, ...contacts: readonly string[]): string =>
  `${name}: levels: [{contacts: [${contacts.map((each) => `"${each}"`).join(", ")}], renotify_interval: "0s"}]`;
const many = <T>(count: number, make: (at: number) => T): T[] => Array.from({ length: count }, (_, at) => make(at));

/** Document with many services for a fast contact, hosts for a contact beside one that hangs, and single hosts. */
const documentOf = (receiver: WebhookReceiver, target: string): string => `
#passive: {type: "passive", freshness_threshold: "24h", max_attempts: 1, flap: {enabled: false}}
contacts: {${["fast", "good", "hung"].map((name) => webhook(name, receiver)).join(", ")}}
notifications: {${policy("crowd", "fast")}, ${policy("beside", "hung", "good")}, ${policy("single", "fast")}}
hosts: {
	${many(hosts, (at) => `c${at}: {address: "a", check: #passive, services: {${many(servicesEach, (n) => `s${n}: {notification: "crowd", check: #passive}`).join(", ")}}}`).join("\n\t")}
	${many(1_000, (at) => `b${at}: {address: "a", notification: "beside", check: #passive}`).join("\n\t")}
	${many(firstNotifications, (at) => `f${at}: {address: "a", notification: "single", check: #passive}`).join("\n\t")}
	checked: {address: "127.0.0.1", check: #passive, services: {${many(
    checkedPorts,
    (at) =>
      `p${at}: check: {type: "tcp", address: "${target}", check_interval: "1s", retry_interval: "1s", timeout: "5s", flap: {enabled: false}}`,
  ).join(", ")}}}
}
`;

/** Measures the time from a result to the webhook of a running agent, which runs checks meanwhile. */
export async function benchNotifications(): Promise<BenchRow[]> {
  await using scope = openScope();
  const receiver = await startWebhookReceiver(scope);
  const target = await startTcpTarget(scope);
  receiver.setBehaviour("hung", "hang");
  const agent = await startTestAgent(scope, { config: documentOf(receiver, target.address) });
  await until("every port is checked", () => areChecked(agent), limit);
  const conditions = `while ${checkedPorts} ports are checked every second`;
  const first = await firstNotificationsOf(agent, receiver);
  const beside = await timeNotifications(agent, {
    receiver,
    contact: "good",
    refs: many(1_000, (at) => ({ host: { name: `b${at}` } })),
  });
  const services = many(hosts * servicesEach, (at) => ({
    service: { host: `c${Math.floor(at / servicesEach)}`, name: `s${at % servicesEach}` },
  }));
  const before = await checkDelays(agent);
  const crowd = await timeNotifications(agent, { receiver, contact: "fast", refs: services });
  const after = await checkDelays(agent);
  const checks = after.count - before.count;
  const late = (after.sumS - before.sumS) / Math.max(1, checks);
  return [
    {
      name: "first notification, median",
      rate: quantile(first, 0.5),
      unit: "ms",
      note: `from sending the result; ${conditions}`,
    },
    { name: "first notification, 99th percentile", rate: quantile(first, 0.99), unit: "ms" },
    { name: "first notification, maximum", rate: quantile(first, 1), unit: "ms", note: `of ${firstNotifications}` },
    { name: `${services.length} notifications`, rate: crowd.tookS, unit: "s", note: `to one webhook, ${conditions}` },
    { name: "rate", rate: services.length / crowd.tookS, unit: "notifications/s" },
    { name: "checks meanwhile", rate: checks / crowd.tookS, unit: "checks/s", note: `${checkedPorts} are due` },
    { name: "their delay", rate: late * 1_000, unit: "ms" },
    {
      name: "1 000 notifications beside a contact that hangs",
      rate: beside.tookS,
      unit: "s",
      note: `${receiver.attempts("hung")} requests to the other one hang`,
    },
  ];
}

async function areChecked({ base }: TestProgram): Promise<boolean> {
  const rows = Object.values(await statusRows(base, { selector: "@type=tcp", pageSize: 1_000 }));
  return rows.length === checkedPorts && rows.every(({ status }) => status === "STATUS_OK");
}

/** Time to the first notification of each of several hosts, ms, ascending. */
async function firstNotificationsOf(agent: TestProgram, receiver: WebhookReceiver): Promise<number[]> {
  const took: number[] = [];
  for (let at = 0; at < firstNotifications; at += 1) {
    const name = `f${at}`;
    const startedMs = performance.now();
    await sendCommand(agent.base, "ProcessCheckResult", { object: { host: { name } }, status: "STATUS_CRITICAL" });
    const isOfHost = ({ notifications }: DeliveredMessage): boolean => notifications[0]?.object.name === name;
    const message = await until(`${name} is notified`, () => receiver.delivered.findLast(isOfHost), limit);
    took.push(message.atMs - startedMs);
  }
  return took.sort((one, other) => one - other);
}

const quantile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;

/** Time from the first result to the delivery of the last notification, s. */
async function timeNotifications(
  { base }: TestProgram,
  { receiver, contact, refs }: { receiver: WebhookReceiver; contact: string; refs: readonly object[] },
): Promise<{ readonly tookS: number }> {
  const had = deliveredTo(receiver, contact).length;
  const startedMs = performance.now();
  for (let from = 0; from < refs.length; from += 1_000) {
    const results = refs
      .slice(from, from + 1_000)
      .map((object) => ({ object, status: "STATUS_CRITICAL", output: "down" }));
    await sendCommand(base, "ProcessCheckResults", { results });
  }
  await until(
    `${contact} is notified of all`,
    () => deliveredTo(receiver, contact).length === had + refs.length,
    limit,
  );
  return { tookS: ((deliveredTo(receiver, contact).at(-1)?.atMs ?? Number.NaN) - startedMs) / 1_000 };
}

const deliveredTo = ({ delivered }: WebhookReceiver, contact: string): DeliveredMessage[] =>
  delivered.filter((message) => message.contact === contact);

/** Sum of the delays of all checks, s, and their number. */
async function checkDelays({ base }: TestProgram): Promise<{ readonly sumS: number; readonly count: number }> {
  const text = await (await fetch(`${base}/metrics`)).text();
  const read = (name: string): number =>
    Number(new RegExp(`check_latency_seconds_${name} ([\\d.e+-]+)`).exec(text)?.[1]);
  return { sumS: read("sum"), count: read("count") };
}
