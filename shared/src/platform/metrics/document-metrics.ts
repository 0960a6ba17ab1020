import type { Metrics } from "./metrics.ts";

/** Registers the metrics of the document that a program runs. @param name such as `configuration document` */
export function documentMetrics(metrics: Metrics, name: string) {
  const successful = metrics.gauge({
    name: "config_last_reload_successful",
    help: `1 when the last ${name} was applied, 0 when it was refused.`,
  });
  const loadedAt = metrics.gauge({
    name: "config_last_reload_success_timestamp_seconds",
    help: `Unix time at which a ${name} was last applied.`,
  });
  const evaluation = metrics.histogram({
    name: "config_eval_seconds",
    help: `Time to read, evaluate and check a ${name}.`,
    buckets: [0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 15, 60],
  });
  return {
    loaded(isSuccessful: boolean, atMs: number) {
      successful.set(Number(isSuccessful));
      if (isSuccessful) loadedAt.set(atMs / 1000);
    },
    /** Records the time that it took to read, evaluate and check a document, ms. */
    evaluated: (tookMs: number) => evaluation.observe(tookMs / 1000),
  };
}
