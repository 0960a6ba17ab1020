import type { Clock } from "../model/clock.ts";
import { openLoader } from "./load-document.ts";

/** Duration of a load, ms: including the start of its thread (cold), and again on the running thread (warm). */
type LoadMeasurement = { readonly coldMs: number; readonly warmMs: number; readonly objects: number };

/**
 * Loads a configuration twice and measures both loads. For benchmarks.
 *
 * @throws TypeError for an invalid configuration
 */
export async function measureLoad(clock: Clock, text: string): Promise<LoadMeasurement> {
  const source = { kind: "text", text, name: "sample.cue" } as const;
  const options = { realm: "default", localZone: "UTC" };
  const loader = openLoader(clock);
  const timed = async (): Promise<{ readonly ms: number; readonly objects: number }> => {
    const startedMs = clock.monotonic();
    const loaded = await loader.plan({ source, options });
    if (!loaded.ok) throw new TypeError(`the sample is invalid: ${loaded.error[0]?.message}`);
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
