import { readFileSync } from "node:fs";

/** Resident memory of a process, MB. */
export const residentMb = (pid: number): number => statusMb(pid, "VmRSS");

/** Highest resident memory of a process since its start, or since 5 was written to its `clear_refs`, MB. */
export const peakResidentMb = (pid: number): number => statusMb(pid, "VmHWM");

const statusMb = (pid: number, name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, "m").exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1_024;
