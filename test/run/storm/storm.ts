import type { TestScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { numberedHosts } from "../numbered-hosts.ts";
import { startNats, startTestAgent, startTestAggregator, type TestFlags, type TestProgram } from "../processes.ts";
import { hostTarget, realmStates, sendCommand, serviceTarget, statusRows } from "../rows.ts";

/** Realms of the storm; the switches are in the first one. */
const stormRealms = ["fra", "ams", "dub"] as const;
type StormRealm = (typeof stormRealms)[number];

/** Number of objects behind each of the switches `sw1` and `sw2`. */
export const behindEachSwitch = 150;

const check = (maxAttempts: number, flap = "enabled: false"): string =>
  `check: {type: "passive", freshness_threshold: "9h", max_attempts: ${maxAttempts}, flap: {${flap}}}`;
const passive = check(1);
const address = `address: "127.0.0.1"`;
const service = (name: string, itsCheck = passive): string => `services: ${name}: {${itsCheck}}`;

/** Services of the host `shop`, which every realm has, by their fault. */
const flapping = ["cache", "queue", "search"];
const soft = ["cart", "login"];
const acknowledged = ["backup", "mail"];
const plain = ["disk"];

const shop = `hosts: shop: {
	${address}
	${passive}
	${flapping.map((name) => service(name, check(1, "alpha: 0.5"))).join("\n\t")}
	${soft.map((name) => service(name, check(5))).join("\n\t")}
	${[...acknowledged, ...plain].map((name) => service(name)).join("\n\t")}
}
`;

/** 75 hosts with a service behind `sw1`; 74 behind `sw2`, and the two services of `nas`, which depend on it. */
const hostsBehind = 149;
const hostNames = Array.from({ length: hostsBehind }, (_, at) => `h${at}`);
const switches = `
hosts: {
	sw1: {${address}, ${passive}}
	sw2: {${address}, ${passive}}
	nas: {${address}, ${passive}, labels: app: "files", ${service("nfs")}, ${service("smb")}}
}
${numberedHosts(hostsBehind, (at) => `${address}, parents: ["${at < 75 ? "sw1" : "sw2"}"], ${passive}, ${service("http")}`)}
dependencies: uplink: {dependents: [{select: "app=files,@kind=service"}], on: {ref: "sw2"}, fails_on: ["critical"]}
`;

/** Document of a realm of the storm: 9 objects, and in the first realm 305 more. */
const stormDocument = (realm: StormRealm): string => (realm === stormRealms[0] ? shop + switches : shop);

type Problem = "OK" | "WARNING" | "CRITICAL";
const hostResult = (name: string, status: Problem) => result(hostTarget(name), status);
const serviceResult = (host: string, name: string, status: Problem) => result(serviceTarget(host, name), status);
const result = (target: object, status: Problem) => ({
  ...target,
  status: `STATUS_${status}`,
  output: status === "OK" ? "all well" : "no answer",
});

/** Reports the everyday problems of a realm: three services that flap, two soft, two acknowledged and one plain. */
async function reportEveryday(base: string): Promise<void> {
  const flaps = flapping.flatMap((name) =>
    (["OK", "CRITICAL", "OK", "CRITICAL"] as const).map((status) => serviceResult("shop", name, status)),
  );
  const others = [...soft, ...acknowledged].map((name) => serviceResult("shop", name, "CRITICAL"));
  const disk = plain.map((name) => serviceResult("shop", name, "WARNING"));
  await sendCommand(base, "ProcessCheckResults", { results: [hostResult("shop", "OK"), ...flaps, ...others, ...disk] });
  for (const name of acknowledged) {
    const target = serviceTarget("shop", name);
    await sendCommand(base, "AcknowledgeProblem", { target, sticky: true, author: "ann", comment: "Known." });
  }
}

/** Reports both switches of the first realm, and all that is behind them, as down, or as well. */
export async function reportSwitches(base: string, status: "OK" | "CRITICAL"): Promise<void> {
  const hosts = ["sw1", "sw2", ...hostNames].map((name) => hostResult(name, status));
  const services = [
    ...hostNames.map((name) => serviceResult(name, "http", status)),
    ...["nfs", "smb"].map((name) => serviceResult("nas", name, status)),
  ];
  await sendCommand(base, "ProcessCheckResults", { results: [hostResult("nas", "OK"), ...hosts, ...services] });
}

/** Starts the realms of the storm and their centre, in which all is as every day: the switches are up. */
export async function startStorm(
  scope: TestScope,
  flags: TestFlags = {},
): Promise<{ readonly agents: Readonly<Record<StormRealm, TestProgram>>; readonly centre: TestProgram }> {
  const nats = await startNats(scope);
  const start = (realm: StormRealm) =>
    startTestAgent(scope, { config: stormDocument(realm), realm, flags: { "nats-url": nats.url } });
  const [fra, ams, dub] = await Promise.all(
    stormRealms.map(start) as [ReturnType<typeof start>, ReturnType<typeof start>, ReturnType<typeof start>],
  );
  const agents = { fra, ams, dub };
  const realms = stormRealms.map((name) => `realms: ${name}: {url: "${agents[name].base}", unreachable_after: "7s"}\n`);
  const centre = await startTestAggregator(scope, {
    realms: realms.join(""),
    flags: { "nats-url": nats.url, ...flags },
  });
  await reportSwitches(fra.base, "OK");
  for (const { base } of Object.values(agents)) await reportEveryday(base);
  await until(
    "the centre has all rows of every day",
    async () => {
      const pending = await statusRows(centre.base, { statuses: ["STATUS_PENDING"] });
      const problems = await statusRows(centre.base, { problemsOnly: true });
      const handled = Object.values(problems).filter((row) => row.handled).length;
      const states = Object.values(await realmStates(centre.base));
      if (!states.every(({ freshness }) => freshness === "REALM_FRESHNESS_CURRENT")) return false;
      return Object.keys(pending).length === 0 && Object.keys(problems).length === 24 && handled === 6;
    },
    { withinMs: 60_000 },
  );
  return { agents, centre };
}
