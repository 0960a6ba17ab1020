import { monitorEventLoopDelay } from "node:perf_hooks";
import { measureLoad } from "@realmwatch/shared/load/measure";
import { systemClock } from "@realmwatch/shared/tools/system-clock";
import type { Row } from "./row.ts";

/** From a templated document to its plan, and how long the caller's thread was held up meanwhile. */
export async function benchLoad(): Promise<Row[]> {
  const rows: Row[] = [];
  for (const [hosts, servicesPerHost] of [
    [100, 10],
    [1_000, 10],
  ] as const) {
    const delay = monitorEventLoopDelay({ resolution: 5 });
    delay.enable();
    const { coldMs, warmMs, objects } = await measureLoad(systemClock, { hosts, servicesPerHost });
    delay.disable();
    const size = `${hosts} × ${servicesPerHost} services`;
    rows.push(
      {
        name: `load ${size}`,
        rate: coldMs,
        unit: "ms",
        note: `${objects} objects from templates, thread started for it`,
      },
      { name: `load ${size} again`, rate: warmMs, unit: "ms", note: "on the running thread" },
      { name: `loading ${size}: longest stall of the caller`, rate: delay.max / 1e6, unit: "ms" },
    );
  }
  return rows;
}
