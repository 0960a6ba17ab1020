import { sleep } from "@realmwatch/shared/model/clock";
import { systemClock } from "@realmwatch/shared/platform/system-clock";
import { residentMb } from "../faults/port/resident-memory.ts";

/** Time within which an idle program gives the memory back that its start or a burst has left, ms. */
const settleMs = 20_000;

/** Smallest resident memory of an idle program within that time, MiB. */
export async function settledMb(pid: number): Promise<number> {
  let smallest = residentMb(pid);
  for (let waitedMs = 0; waitedMs < settleMs; waitedMs += 500) {
    await sleep(systemClock, 500);
    smallest = Math.min(smallest, residentMb(pid));
  }
  return smallest;
}
