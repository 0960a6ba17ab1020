import type { Clock } from "../model/clock.ts";
import { openLoader } from "./load-document.ts";

/** What one load cost, ms: with its thread's start, and again on the running thread. */
export type LoadMeasurement = { readonly coldMs: number; readonly warmMs: number; readonly objects: number };

/**
 * Loads a configuration twice. For benchmarks.
 *
 * @throws TypeError for one that does not hold
 */
export async function measureLoad(clock: Clock, text: string): Promise<LoadMeasurement> {
  const source = { kind: "text", text, name: "sample.cue" } as const;
  const options = { realm: "default", localZone: "UTC" };
  const loader = openLoader(clock);
  const timed = async (): Promise<{ readonly ms: number; readonly objects: number }> => {
    const startedMs = clock.monotonic();
    const loaded = await loader.plan({ source, options });
    if (!loaded.ok) throw new TypeError(`the sample does not hold: ${loaded.error[0]?.message}`);
    return { ms: clock.monotonic() - startedMs, objects: loaded.value.value.objects.size };
  };
  try {
    const cold = await timed();
    const warm = await timed();
    return { coldMs: cold.ms, warmMs: warm.ms, objects: cold.objects };
  } finally {
    await loader.close();
  }
}
