import { test } from "node:test";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { startTcpTarget, startTestAgent } from "../run/processes.ts";
import { hostTarget, sendCommand, statusRows } from "../run/rows.ts";

const tcp = (address: string, interval: string): string =>
  `check: {type: "tcp", address: "${address}", max_attempts: 1, check_interval: "${interval}", retry_interval: "${interval}", timeout: "20s", flap: {}}`;

test("[HS2, HS3, HS6] hosts checked every 30 minutes become unreachable seconds after their router fails, and recover with it", async (t) => {
  const [router, lan, backup] = [await startTcpTarget(t), await startTcpTarget(t), await startTcpTarget(t)];
  const behind = (...parents: string[]): string =>
    `{address: "127.0.0.1", parents: ${JSON.stringify(parents)}, ${tcp(lan.address, "30m")}}`;
  const agent = await startTestAgent(t, {
    config: `
hosts: {
	gw: {address: "127.0.0.1", ${tcp(router.address, "1s")}}
	backup: {address: "127.0.0.1", ${tcp(backup.address, "30m")}}
	sw: ${behind("gw")}
	web1: ${behind("sw")}
	db1: ${behind("gw", "backup")}
}
`,
  });
  const shows = (expected: Readonly<Record<string, string>>) =>
    until(JSON.stringify(expected), async () => {
      const rows = await statusRows(agent.base);
      return Object.entries(expected).every(([ref, status]) => rows[ref]?.status === `STATUS_${status}`);
    });
  const allOk = { gw: "OK", backup: "OK", sw: "OK", web1: "OK", db1: "OK" };
  for (const name of Object.keys(allOk)) await sendCommand(agent.base, "ScheduleCheck", { target: hostTarget(name) });
  await shows(allOk);
  await Promise.all([router.close(), lan.close()]);
  await shows({ gw: "CRITICAL", backup: "OK", sw: "UNREACHABLE", web1: "UNREACHABLE", db1: "CRITICAL" });
  await Promise.all([router.open(), lan.open()]);
  await shows(allOk);
});
