import { openScope } from "@realmwatch/shared/platform/testing/test-scope.fixture";
import { until } from "@realmwatch/shared/platform/testing/until.fixture";
import { residentMb } from "../../faults/port/resident-memory.ts";
import { call } from "../../run/call.ts";
import type { TestProgram } from "../../run/processes.ts";
import { rebuild, rowMessage, sendHeartbeats, storeRealms } from "../aggregator/bench-stored-realms.ts";
import { settledMb } from "../bench-memory.ts";
import type { BenchRow } from "../bench-row.ts";
import { cpuSecondsOfTree } from "../process-tree.ts";
import { sized } from "../runner/bench-size.ts";

/** Numbers of realms, and of the objects of each. */
const sizes = sized([10, 100, 300], [10, 100]);
const objects = sized(1_000, 200);
/** Changed rows that are sent as fast as the broker takes them. */
const changes = sized(50_000, 10_000);

/** Measures the centre with a growing number of realms: its start from the broker, its memory, and rows into it. */
export async function benchGrowingRealms(): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  let before: number | undefined;
  for (const size of sizes) {
    const found = await measureRealms(size);
    const row = (what: string, rate: number, unit: string, more: Partial<BenchRow> = {}): BenchRow => ({
      ...{ name: `${what}, ${size} realms`, rate, unit, ...more },
      ...(before === undefined ? {} : { against: `${what}, ${before} realms` }),
    });
    rows.push(
      row("rebuild from the broker", found.rebuildS, "s", { note: `${objects} objects each` }),
      row("rows of the rebuild", (size * objects) / found.rebuildS, "rows/s"),
      row("changed rows", found.changesPerSecond, "rows/s", { cpuMs: found.changeCpuMs }),
      row("memory of the aggregator after the changes", found.residentMb, "MiB"),
      row("memory of the idle aggregator", found.idleMb, "MiB"),
      row("page of 200", found.pageMs, "ms"),
    );
    before = size;
  }
  return rows;
}

async function measureRealms(realms: number) {
  await using scope = openScope();
  const stored = await storeRealms(scope, realms, objects);
  const { program, seconds } = await rebuild(scope, stored, undefined);
  sendHeartbeats(scope, stored);
  const cpuBefore = cpuSecondsOfTree(program.pid);
  const startedMs = performance.now();
  for (let at = 0; at < changes; at += 1)
    stored.connection.publish(
      ...rowMessage(stored.names[at % realms] ?? "", Math.floor(at / realms) % objects, 10 + at, {
        output: `changed ${at}`,
      }),
    );
  await stored.connection.flush();
  const last = (changes - 1) % realms;
  const ref = Math.floor((changes - 1) / realms) % objects;
  const service = { host: `host-${Math.floor(ref / 4)}`, name: `service-${ref % 4}` };
  const shows = async (): Promise<boolean> => {
    const request = { realm: stored.names[last], object: { service } };
    const { body } = await call(program.base, "QueryService/ListStatus", request);
    return JSON.stringify(body).includes(`changed ${changes - 1}"`);
  };
  await until("the last change is shown", shows, { withinMs: 300_000, everyMs: 20 });
  const tookMs = performance.now() - startedMs;
  const changeCpuMs = ((cpuSecondsOfTree(program.pid) - cpuBefore) * 1_000) / changes;
  return {
    ...{ rebuildS: seconds, changeCpuMs, changesPerSecond: (changes / tookMs) * 1_000 },
    ...{
      residentMb: residentMb(program.pid),
      pageMs: await medianPageMs(program),
      idleMb: await settledMb(program.pid),
    },
  };
}

async function medianPageMs({ base }: TestProgram): Promise<number> {
  const tookMs: number[] = [];
  for (let turn = 0; turn < 21; turn += 1) {
    const startedMs = performance.now();
    await call(base, "QueryService/ListStatus", { pageSize: 200, omitRealms: true });
    tookMs.push(performance.now() - startedMs);
  }
  return tookMs.sort((one, other) => one - other)[10] ?? 0;
}
