import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";

/** Counts and times every call, including refused ones. Labels are names of the API and therefore bounded. */
export function countRpcs(metrics: Metrics): (ended: CompletedRpc) => void {
  const requests = metrics.counter({
    name: "rpc_requests_total",
    help: "RPCs completed, by code; `ok` for success.",
    labels: ["service", "method", "code"],
  });
  const durations = metrics.histogram({
    name: "rpc_duration_seconds",
    help: "Duration of RPCs, from the request headers to the end of the call.",
    labels: ["service", "method"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 120],
  });
  return ({ context, error, elapsedMs }) => {
    const labels = { service: context.service.typeName, method: context.method.name };
    requests.inc({ ...labels, code: error === undefined ? "ok" : codeToString(error.code) });
    durations.observe(labels, elapsedMs / 1_000);
  };
}
