import { makeServerCertificate } from "@realmwatch/agent/checks/connect/certificates.fixture";
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { startNameServer } from "@realmwatch/agent/platform/dns/name-server.fixture";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import { startNginx } from "../checks/nginx.ts";
import { measureBlackbox } from "./peers/blackbox.ts";
import { measureChecker } from "./peers/peer-checker.ts";
import { icinga2Checker } from "./peers/icinga2-checker.ts";
import { nagios4Checker } from "./peers/nagios4-checker.ts";
import type { BenchRow } from "./bench-row.ts";

const plugins = "/usr/lib/nagios/plugins";
const [warmUpMs, windowMs] = [500, 2_000];
/** Rivals that run plugins take longer to get going. */
const brief = { warmUpMs: 2_000, windowMs: 4_000 };

type Tools = ReturnType<typeof openTestDependencies>;
type Speed = { readonly checksPerSecond: number; readonly cpuMs: number };

/** Native checks of one nginx, each kind alone, then the same work by others at saturation. */
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
    const nagiosTcp = await measureChecker(nagios4Checker, checkTcp, brief);
    return [
      ...ours("tcp", tcp, ["blackbox tcp", "Nagios 4 check_tcp"]),
      theirs("blackbox tcp", blackboxTcp),
      theirs("Nagios 4 check_tcp", nagiosTcp),
      theirs("Icinga 2 check_tcp", await measureChecker(icinga2Checker, checkTcp, brief)),
      ...ours("http, a connection each", http, ["blackbox http", "Nagios 4 check_http"]),
      theirs("blackbox http", blackboxHttp),
      theirs("Nagios 4 check_http", await measureChecker(nagios4Checker, checkHttp, brief)),
    ];
  } finally {
    await tools.close();
    await nginx.stop();
  }
}

/** Echoes are 200 ms apart, so that many hosts are under way at a time. */
export async function benchEchoes(): Promise<BenchRow[]> {
  const tools = openTestDependencies();
  try {
    const { checksPerSecond, cpuMs } = await rate(tools, { type: "icmp", host: "127.0.0.1" }, 8_000);
    const note = `${cpuMs.toFixed(3)} ms CPU each, 8 000 hosts under way, none of their echoes lost`;
    return [
      { name: "icmp", rate: checksPerSecond, unit: "checks/s", note },
      { name: "icmp, echoes sent and answered", rate: checksPerSecond * 5, unit: "echoes/s" },
    ];
  } finally {
    await tools.close();
  }
}

/** A check each second of a name that is alive, while a hundred names are asked for that no server knows of. */
export async function benchDeadNames(): Promise<BenchRow[]> {
  const dead = Array.from({ length: 100 }, (_, n) => `dead${n}.example`);
  const zone = Object.fromEntries(dead.map((name) => [name, "silence" as const]));
  const server = await startNameServer({ ...zone, "alive.example": ["127.0.0.1"] });
  const tools = openTestDependencies([server.address]);
  const about = checkEnvironment();
  const run = (host: string, timeoutMs: number) =>
    runCheck(servicePlan({ type: "tcp", host, port: server.port }, timeoutMs), about, tools);
  try {
    const buried = dead.map((name) => run(name, 1_500));
    const tookMs: number[] = [];
    // The port takes no TCP: a refusal needs the name as much as a connection does.
    for (let left = 200; left > 0; left--) tookMs.push((await run("alive.example", 1_500)).executionMs);
    await Promise.all(buried);
    const worstMs = tookMs.toSorted((a, b) => a - b)[197] ?? Number.NaN;
    return [{ name: "99th percentile of a check beside 100 dead names", rate: worstMs, unit: "ms" }];
  } finally {
    server.close();
    await tools.close();
  }
}

const noteOf = ({ cpuMs }: Speed, whose: string): string => `${cpuMs.toFixed(3)} ms of ${whose} CPU each`;

/** Our row, and again beside each further rival. */
const ours = (name: string, speed: Speed, rivals: readonly string[]): BenchRow[] =>
  rivals.map((against, at) => ({
    name: at === 0 ? name : `${name} (again)`,
    rate: speed.checksPerSecond,
    unit: "checks/s",
    note: noteOf(speed, "the engine's"),
    against,
  }));

const theirs = (name: string, speed: Speed | undefined): BenchRow =>
  speed === undefined
    ? { name, rate: 0, unit: "", note: "skipped: not installed" }
    : { name, rate: speed.checksPerSecond, unit: "checks/s", note: noteOf(speed, "its") };

/** As many checks as can be within a while, so many at a time; each must be ok. */
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
  await runFor(warmUpMs); // Warm code.
  const before = { cpu: process.cpuUsage(), atMs: performance.now() };
  const checks = await runFor(windowMs);
  const { user, system } = process.cpuUsage(before.cpu);
  return {
    checksPerSecond: checks / ((performance.now() - before.atMs) / 1_000),
    cpuMs: (user + system) / 1_000 / checks,
  };
}
