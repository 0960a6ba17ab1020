import { constants, PerformanceObserver } from "node:perf_hooks";
import { getHeapStatistics, setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { repeatWhileAlive, systemClock } from "../system-clock.ts";

const mib = 2 ** 20;
const checkMs = 2_000;
/** Size of what is in use up to which a collection takes less than about 0.2 s, bytes. */
const quickBytes = 96 * mib;
/** Growth of what a thread uses within `checkMs` while a burst goes on, bytes. */
const growthBytes = 32 * mib;
/** Memory held beside what is in use that is worth a collection, bytes. */
const burstBytes = 64 * mib;
/** Time between two collections, as a multiple of the time for which the first of them stopped the thread. */
const restFactor = 1_000;

/** Age up to which a thread reads what it starts with, such as a document of 100 000 objects, ms. */
const startMs = 10_000;

/** Entry of a collection, whose type in the library has no `detail`. */
type CollectionEntry = PerformanceEntry & { readonly detail: { readonly kind: number } };

let isDone = false;

/**
 * Collects this thread's garbage soon after large requests. V8 does so only when further garbage comes, so that a thread
 * without work keeps what a burst has left, for hours. A thread that has much in use, which a collection would stop for
 * long, and one whose heap still grows are left to V8. But for the first one, these collections stop a thread for at most
 * 0.1 % of its time.
 */
export function collectBurstGarbage(): void {
  if (isDone) return;
  isDone = true;
  // V8 may collect in the middle of a burst, when much is in use: only a collection from here tells what is in use without.
  let inUseBytes = memoryUse().usedBytes;
  let lastBytes = inUseBytes;
  let restsUntilMs = systemClock.monotonic() + startMs;
  new PerformanceObserver((list) => {
    if (list.getEntries().some(isWholeCollection)) inUseBytes = Math.min(inUseBytes, memoryUse().usedBytes);
  }).observe({ entryTypes: ["gc"] });
  repeatWhileAlive(checkMs, () => {
    const { usedBytes, heldBytes } = memoryUse();
    const grows = usedBytes > lastBytes + growthBytes;
    lastBytes = usedBytes;
    const startedMs = systemClock.monotonic();
    if (grows || inUseBytes > quickBytes || heldBytes < inUseBytes + burstBytes || startedMs < restsUntilMs) return;
    // Giving memory back takes about three times as long.
    if (usedBytes > quickBytes) collect();
    else releaseMemory();
    const endedMs = systemClock.monotonic();
    restsUntilMs = endedMs + restFactor * (endedMs - startedMs);
    inUseBytes = memoryUse().usedBytes;
  });
}

/** Memory of this thread that is in use, garbage included, and all that it has from the system. */
function memoryUse(): { readonly usedBytes: number; readonly heldBytes: number } {
  const { used_heap_size: used, total_physical_size: held, external_memory: external } = getHeapStatistics();
  return { usedBytes: used + external, heldBytes: held + external };
}

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
