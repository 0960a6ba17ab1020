import type { MemoryLimit } from "./memory-limit.ts";

/** Limit of the only Go program of a process that has just started. */
export const limitOfOne = (bytes: number): MemoryLimit => ({
  bytes,
  residentBefore: process.memoryUsage.rss(),
  sharedBy: () => 1,
});
