import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { repeatWhileAlive } from "../system-clock.ts";

const mib = 2 ** 20;
const checkMs = 2_000;
/** Size of what is in use up to which a collection takes less than about 0.1 s, bytes. */
const quickBytes = 96 * mib;
/** Growth since a collection that is worth one, bytes. */
const burstBytes = 64 * mib;

/** Entry of a collection, whose type in the library has no `detail`. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

let isDone = false;

/**
 * Collects this thread's garbage soon after large requests. V8 does so only when further garbage comes, so that a thread
 * without work keeps what a burst has left, for hours. A thread that has much in use, which a collection would stop for
 * long, and one whose heap still grows are left to V8.
 */
export function collectBurstGarbage(): void {
  if (isDone) return;
  isDone = true;
  // V8 may collect in the middle of a burst, when much is in use: only a collection from here tells what is in use without.
  let inUseBytes = usedBytes();
  let lastBytes = inUseBytes;
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isWholeCollection)) inUseBytes = Math.min(inUseBytes, usedBytes());
  }).observe({ entryTypes: ["gc"] });
  repeatWhileAlive(checkMs, () => {
    const used = usedBytes();
    const grows = used > lastBytes + burstBytes / 2;
    lastBytes = used;
    if (grows || inUseBytes > quickBytes || used < inUseBytes + burstBytes) return;
    collect();
    inUseBytes = usedBytes();
  });
}

const usedBytes = (): number => {
  const { used_heap_size: used, external_memory: external } = getHeapStatistics();
  return used + external;
};

const isWholeCollection = (entry: PerformanceEntry): boolean =>
  (entry as CollectionEntry).detail.kind === constants.NODE_PERFORMANCE_GC_MAJOR;

type Collector = (options?: { readonly type: "major"; readonly flavor: "last-resort" }) => void;
let collector: Collector | undefined;

function collect(options?: Parameters<Collector>[0]): void {
  if (collector === undefined) {
    setFlagsFromString("--expose-gc");
    collector = runInNewContext("gc") as Collector;
  }
  collector(options);
}

/** Collects this thread's garbage and gives memory back to the system. For a thread that will be idle for long. */
export const releaseMemory = (): void => collect({ type: "major", flavor: "last-resort" });
