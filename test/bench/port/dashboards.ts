import { sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { call } from "../../run/call.ts";
import { startTcpTarget, type TestProgram } from "../../run/processes.ts";
import { statusRows } from "../../run/rows.ts";
import { metricOf, passiveHostsDocument, startBenchAgent, withTestScope } from "../bench-agent.ts";
import type { BenchRow } from "../bench-row.ts";
import { sized } from "../runner/bench-size.ts";

const hosts = 10_000;
const dashboards = 30;
/** Ports that are checked every second. */
const checkedPorts = 200;
const windowMs = sized(20_000, 10_000);

/** Delay of the checks that start within `ms`, mean, and their number each second. */
async function checkDelay(agent: TestProgram, ms: number): Promise<{ readonly meanMs: number; readonly rate: number }> {
  const read = async () => ({
    sum: await metricOf(agent, "check_latency_seconds_sum"),
    count: await metricOf(agent, "check_latency_seconds_count"),
  });
  const before = await read();
  await sleep(systemClock, ms);
  const after = await read();
  const count = after.count - before.count;
  return { meanMs: ((after.sum - before.sum) / count) * 1_000, rate: (count / ms) * 1_000 };
}

/** Reads what an open page of problems does, and what one of all objects does: a page, then each second its changes. */
async function openDashboard({ base }: TestProgram, isOver: () => boolean): Promise<void> {
  const page = { pageSize: 200, sort: "name" };
  let changedSince: unknown;
  while (!isOver()) {
    const startedMs = performance.now();
    const { body } = await call(base, "QueryService/ListStatus", {
      ...page,
      ...(changedSince ? { changedSince } : {}),
    });
    changedSince = body["revision"];
    await sleep(systemClock, Math.max(0, 1_000 - (performance.now() - startedMs)));
  }
}

/** Measures the delay of checks of an agent with 10 000 hosts, without and with open dashboards. At most 15 ms more is wanted. */
export const benchOpenDashboards = (): Promise<BenchRow[]> =>
  withTestScope(async (scope) => {
    const { address } = await startTcpTarget(scope);
    const check = `check: {type: "tcp", address: "${address}", check_interval: "1s", retry_interval: "1s", timeout: "5s", flap: {enabled: false}}`;
    const ports = Array.from(
      { length: checkedPorts },
      (_, at) => `hosts: port${at}: {address: "127.0.0.1", ${check}}\n`,
    );
    const agent = await startBenchAgent(scope, { config: `${passiveHostsDocument(hosts)}${ports.join("")}` });
    const areChecked = async (): Promise<boolean> =>
      Object.values(await statusRows(agent.base, { selector: "@type=tcp", pageSize: 1_000 })).every(
        ({ status }) => status === "STATUS_OK",
      );
    await until("every port is checked", areChecked, { withinMs: 120_000 });
    await sleep(systemClock, 5_000);
    const without = await checkDelay(agent, windowMs);
    let isOver = false;
    const open = Array.from({ length: dashboards }, () => openDashboard(agent, () => isOver));
    await sleep(systemClock, 3_000);
    const beside = await checkDelay(agent, windowMs);
    isOver = true;
    await Promise.all(open);
    const alone = "mean delay of checks without a dashboard";
    const note = `${hosts} hosts, ${checkedPorts} ports checked every second`;
    return [
      { name: alone, rate: without.meanMs, unit: "ms", note },
      { name: `beside ${dashboards} dashboards`, rate: beside.meanMs, unit: "ms", against: alone },
      {
        name: `added by ${dashboards} dashboards`,
        rate: beside.meanMs - without.meanMs,
        unit: "ms",
        note: "limit 15 ms",
      },
      { name: `checks beside ${dashboards} dashboards`, rate: beside.rate, unit: "checks/s" },
    ];
  });
