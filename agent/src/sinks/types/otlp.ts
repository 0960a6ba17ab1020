import { fromBinary } from "@bufbuild/protobuf";
import { ExportLogsServiceResponseSchema } from "@realmwatch/proto/opentelemetry/proto/collector/logs/v1/logs_service_pb";
import { ExportMetricsServiceResponseSchema } from "@realmwatch/proto/opentelemetry/proto/collector/metrics/v1/metrics_service_pb";
import { encodeOtlpLogs, encodeOtlpMetrics } from "../encode/otlp-request.ts";
import type { SinkBatch, SinkWriterType } from "../sink-type.ts";
import { classifySinkResponse, sinkRequestMs } from "../transport/sink-http-client.ts";

/** Sends each batch as one OTLP request over HTTP: metrics, or logs for events. */
export const otlpSinkType: SinkWriterType<"otlp"> = {
  timeoutMs: sinkRequestMs,
  open: ({ url, headers }, { http, realm }) => ({
    async send(batch, signal) {
      const body =
        batch.input === "metrics" ? encodeOtlpMetrics(batch.entries, realm) : encodeOtlpLogs(batch.entries, realm);
      const target = otlpUrl(url, batch.input);
      const response = await http.send(
        { url: target, headers: { "content-type": "application/x-protobuf", ...headers }, body },
        signal,
      );
      if (response.kind !== "response") return response;
      const result = classifySinkResponse(response);
      if (result.kind !== "delivered") return result;
      const dropped = rejectedEntries(response.bytes, batch);
      return dropped === 0 ? result : { ...result, dropped, reason: "refused" };
    },
    async close() {},
  }),
};

/** URL of a sink; one without a path gets the standard one of its kind of data. */
function otlpUrl(text: string, input: SinkBatch["input"]): string {
  const url = URL.parse(text);
  if (url === null || url.pathname !== "/") return text;
  url.pathname = input === "metrics" ? "/v1/metrics" : "/v1/logs";
  return url.href;
}

/** Number of entries of a batch that a receiver rejected although it took the request; one entry has several points. */
function rejectedEntries(bytes: Uint8Array, { input, entries }: SinkBatch): number {
  try {
    const rejected =
      input === "metrics"
        ? fromBinary(ExportMetricsServiceResponseSchema, bytes).partialSuccess?.rejectedDataPoints
        : fromBinary(ExportLogsServiceResponseSchema, bytes).partialSuccess?.rejectedLogRecords;
    return Math.min(entries.length, Number(rejected ?? 0n));
  } catch {
    // Some receivers answer with text; the status alone counts.
    return 0;
  }
}
