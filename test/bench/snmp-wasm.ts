// Rates of SNMP reads and WASM runs, without the engine.
import { checkEnvironment, openTestDependencies, servicePlan } from "@realmwatch/agent/checks/plan.fixture";
import { runCheck } from "@realmwatch/agent/checks/run-check";
import { openModuleFolder } from "@realmwatch/agent/platform/wasm/wasm-modules.fixture";
import type { CheckSpec } from "@realmwatch/shared/config/check-kinds/check-kinds";
import type { SnmpSpec } from "@realmwatch/shared/config/check-kinds/snmp";
import { authPass, community, privPass, startSnmpAgent } from "../checks/snmp-agent.ts";
import type { BenchRow } from "./bench-row.ts";

type Tools = ReturnType<typeof openTestDependencies>;
type Work = { name: string; check: CheckSpec; count: number; inFlight: number };

/** Measures values read from one agent of net-snmp, by v2c and with encrypted messages of v3. */
export async function benchSnmp(): Promise<BenchRow[]> {
  const agent = await startSnmpAgent();
  const tools = openTestDependencies();
  const none = { warn: "", crit: "", expect: "", label: "", uom: "" };
  const snmp = (access: SnmpSpec["access"]): CheckSpec => {
    return { type: "snmp", address: `127.0.0.1:${agent.port}`, oid: "1.3.6.1.2.1.1.5.0", access, ...none };
  };
  const user = {
    version: "v3",
    user: "uSHA256AES",
    authProto: "SHA256",
    authPass,
    privProto: "AES",
    privPass,
  } as const;
  try {
    return [
      await rate({ name: "snmp, v2c", check: snmp({ version: "v2c", community }), count: 8_000, inFlight: 16 }, tools),
      await rate({ name: "snmp, v3 SHA256 and AES", check: snmp(user), count: 5_000, inFlight: 16 }, tools),
    ];
  } finally {
    await tools.close();
    await agent.stop();
  }
}

/** Measures runs of a small module with one page of memory. */
export async function benchWasm(): Promise<BenchRow[]> {
  const modules = openModuleFolder();
  const tools = openTestDependencies();
  const check: CheckSpec = { type: "wasm", module: modules.path("ok"), args: [] };
  try {
    return [
      await rate({ name: "wasm, one at a time", check, count: 2_000, inFlight: 1 }, tools),
      await rate({ name: "wasm", check, count: 6_000, inFlight: 16 }, tools),
    ];
  } finally {
    await tools.close();
    modules.remove();
  }
}

async function rate({ name, check, count, inFlight }: Work, tools: Tools): Promise<BenchRow> {
  const [plan, about] = [servicePlan(check), checkEnvironment()];
  const run = async (checks: number): Promise<void> => {
    let left = checks;
    const one = async (): Promise<void> => {
      while (left-- > 0) {
        const { status, output } = await runCheck(plan, about, tools);
        if (status !== "ok") throw new Error(`${name}: ${output}`);
      }
    };
    await Promise.all(Array.from({ length: inFlight }, one));
  };
  await run(count / 10); // Compiles code, derives keys and starts threads.
  const before = process.cpuUsage();
  const startedMs = tools.clock.monotonic();
  await run(count);
  const ms = tools.clock.monotonic() - startedMs;
  const { user, system } = process.cpuUsage(before);
  const cpuMs = (user + system) / 1_000 / count;
  return { name, rate: count / (ms / 1_000), unit: "checks/s", cpuMs, note: `${inFlight} in flight` };
}
