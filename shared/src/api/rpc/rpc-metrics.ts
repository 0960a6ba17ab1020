import { codeToString } from "@connectrpc/connect/protocol-connect";
import type { Metrics } from "../../platform/metrics/metrics.ts";
import type { CompletedRpc } from "../../platform/rpc/server-call.ts";

/** Counts and times every call, those that were turned away too. Labels come from the contract and are bounded. */
export function countRpcs(metrics: Metrics): (ended: CompletedRpc) => void {
  const requests = metrics.counter({
    name: "rpc_requests_total",
    help: "Calls that ended, by their code; `ok` where they succeeded.",
    labels: ["service", "method", "code"],
  });
  const durations = metrics.histogram({
    name: "rpc_duration_seconds",
    help: "From a call's headers to its end.",
    labels: ["service", "method"],
    buckets: [0.001, 0.005, 0.025, 0.1, 0.5, 2.5, 10, 30, 120],
  });
  return ({ context, error, elapsedMs }) => {
    const labels = { service: context.service.typeName, method: context.method.name };
    requests.inc({ ...labels, code: error === undefined ? "ok" : codeToString(error.code) });
    durations.observe(labels, elapsedMs / 1_000);
  };
}
