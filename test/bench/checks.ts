import { makeServerCertificate } from "@realmwatch/agent/checks/connect/certificates.fixture";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { startNameServer } from "@realmwatch/agent/platform/dns/name-server.fixture";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import { startNginx } from "../checks/nginx.ts";
import type { BenchRow } from "./bench-row.ts";
import { measureBlackbox } from "./peers/blackbox.ts";
import { icinga2Checker } from "./peers/icinga2-checker.ts";
import { nagios4Checker } from "./peers/nagios4-checker.ts";
import { measureChecker } from "./peers/peer-checker.ts";

const plugins = "/usr/lib/nagios/plugins";
const [warmUpMs, windowMs] = [500, 2_000];
/** Longer times for peers that run plugins, which need longer to reach full speed. */
const peerTimes = { warmUpMs: 2_000, windowMs: 4_000 };

type Tools = ReturnType<typeof openTestDependencies>;
type Speed = { readonly checksPerSecond: number; readonly cpuMs: number };

/** Measures native checks of one nginx, one type at a time, and the same checks by other systems at saturation. */
export async function benchChecks(): Promise<BenchRow[]> {
  const nginx = await startNginx(makeServerCertificate(30));
  const tools = openTestDependencies();
  const at = { host: "127.0.0.1", port: nginx.port };
  const url = `http://127.0.0.1:${nginx.port}/hello`;
  try {
    const tcp = await rate(tools, { type: "tcp", ...at }, 16);
    const http = await rate(tools, { type: "http", url }, 16);
    const [blackboxTcp, blackboxHttp] = await measureBlackbox([
      { module: "tcp", target: `127.0.0.1:${nginx.port}` },
      { module: "http", target: url },
    ]);
    const checkTcp = [`${plugins}/check_tcp`, "-H", "127.0.0.1", "-p", String(nginx.port)];
    const checkHttp = [`${plugins}/check_http`, "-H", "127.0.0.1", "-p", String(nginx.port), "-u", "/hello"];
    const nagiosTcp = await measureChecker(nagios4Checker, checkTcp, peerTimes);
    const icingaTcp = await measureChecker(icinga2Checker, checkTcp, peerTimes);
    const nagiosHttp = await measureChecker(nagios4Checker, checkHttp, peerTimes);
    return [
      rowOf("tcp", tcp, ["blackbox tcp", "Nagios 4 check_tcp", "Icinga 2 check_tcp"]),
      ...peerRows({
        "blackbox tcp": blackboxTcp,
        "Nagios 4 check_tcp": nagiosTcp,
        "Icinga 2 check_tcp": icingaTcp,
      }),
      rowOf("http, a connection each", http, ["blackbox http", "Nagios 4 check_http"]),
      ...peerRows({ "blackbox http": blackboxHttp, "Nagios 4 check_http": nagiosHttp }),
    ];
  } finally {
    await tools.close();
    await nginx.stop();
  }
}

/** Measures icmp checks of 8000 hosts at a time, since the echoes of each are 200 ms apart. */
export async function benchEchoes(): Promise<BenchRow[]> {
  const tools = openTestDependencies();
  try {
    const { checksPerSecond, cpuMs } = await rate(tools, { type: "icmp", host: "127.0.0.1" }, 8_000);
    const note = "8 000 hosts at a time, no echo lost";
    return [
      { name: "icmp", rate: checksPerSecond, unit: "checks/s", cpuMs, note },
      { name: "icmp, echoes sent and answered", rate: checksPerSecond * 5, unit: "echoes/s" },
    ];
  } finally {
    await tools.close();
  }
}

/** Measures checks of a name that resolves, while a hundred names are resolved whose server does not answer. */
export async function benchDeadNames(): Promise<BenchRow[]> {
  const dead = Array.from({ length: 100 }, (_, n) => `dead${n}.example`);
  const zone = Object.fromEntries(dead.map((name) => [name, "silence" as const]));
  const server = await startNameServer({ ...zone, "alive.example": ["127.0.0.1"] });
  const tools = openTestDependencies([server.address]);
  const about = checkEnvironment();
  const run = (host: string, timeoutMs: number) =>
    runCheck(servicePlan({ type: "tcp", host, port: server.port }, timeoutMs), about, tools);
  try {
    const unanswered = dead.map((name) => run(name, 1_500));
    const tookMs: number[] = [];
    // The port accepts no TCP connection: a refused one needs the name as well.
    for (let left = 200; left > 0; left--) tookMs.push((await run("alive.example", 1_500)).executionMs);
    await Promise.all(unanswered);
    const worstMs = tookMs.toSorted((a, b) => a - b)[197] ?? Number.NaN;
    return [{ name: "99th percentile of a check beside 100 names without answer", rate: worstMs, unit: "ms" }];
  } finally {
    server.close();
    await tools.close();
  }
}

const rowOf = (name: string, { checksPerSecond, cpuMs }: Speed, against: readonly string[] = []): BenchRow => ({
  ...{ name, rate: checksPerSecond, unit: "checks/s", cpuMs, against },
});

/** Rows of the peers that are installed. */
const peerRows = (speeds: Readonly<Record<string, Speed | undefined>>): BenchRow[] =>
  Object.entries(speeds).flatMap(([name, speed]) => (speed === undefined ? [] : [rowOf(name, speed)]));

/** Measures the rate of a check with `inFlight` checks at a time. Throws when one is not ok. */
async function rate(tools: Tools, check: CheckSpec, inFlight: number): Promise<Speed> {
  const plan = servicePlan(check);
  const about = checkEnvironment();
  const runFor = async (ms: number): Promise<number> => {
    const endMs = performance.now() + ms;
    let checks = 0;
    const one = async (): Promise<void> => {
      for (; performance.now() < endMs; checks += 1) {
        const { status, output } = await runCheck(plan, about, tools);
        if (status !== "ok") throw new Error(`${check.type}: ${output}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
    return checks;
  };
  await runFor(warmUpMs); // Compiles the code.
  const before = { cpu: process.cpuUsage(), atMs: performance.now() };
  const checks = await runFor(windowMs);
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    checksPerSecond: checks / ((performance.now() - before.atMs) / 1_000),
    cpuMs: (user + system) / 1_000 / checks,
  };
}
